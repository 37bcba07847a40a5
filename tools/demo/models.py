"""The models of the demo world: one grammar, three sets of preferences, several temperatures and decoders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.study import Settings
from tools.demo.captions import SceneGrammar, render
from tools.demo.grammar import Distribution, beam, greedy, sample

TEMPERATURES = (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)
TRUTH = Distribution()  # the true distribution, by which people write
SIZE = 10  # references and candidates per scene
WIDTH = 30  # beams kept, so that ten texts are left when capitals and full stops count as differences

BIASES: dict[str, tuple[float, dict[str, float]]] = {
    # The truth itself.
    "Oracle": (1.0, {}),
    # Sharper than people, drawn to the plain visible sentence, careful with facts and with spelling.
    "Peaked": (2.2, {"central": 1.5, "Visible": 1.5, "wrong": -1.0, "odd": -1.0, "sloppy": -1.5, "detail": -0.4}),
    # Flatter than people, fond of detail, careless with facts.
    "Loose": (0.8, {"wrong": 3.0, "odd": 2.1, "detail": 0.4, "Story": 0.9, "Subjective": 0.9, "Meta": 0.5}),
}


@dataclass(frozen=True)
class Setting:
    """A model with one decoding method; its log-probabilities come from `distribution`."""

    name: str
    model: str
    settings: Settings
    distribution: Distribution

    def captions(self, grammar: SceneGrammar, rng: np.random.Generator) -> tuple[str, ...]:
        """Return SIZE captions of a scene; those of greedy decoding are all the same."""
        match self.settings.decoder:
            case "greedy":
                return (render(greedy(grammar.root, self.distribution)),) * SIZE
            case "beam":
                return tuple(render(tokens) for tokens in beam(grammar.root, self.distribution, WIDTH)[:SIZE])
            case _:
                return tuple(render(sample(grammar.root, self.distribution, rng)) for _ in range(SIZE))


def distribution(model: str, temperature: float, top_p: float = 1.0) -> Distribution:
    """Return the distribution by which a model makes its choices at a temperature."""
    scale, bonus = BIASES[model]
    return Distribution(scale, bonus, temperature, top_p)


def lineup(seed: int) -> tuple[Setting, ...]:
    """Return all settings of the study, in the order of its runs."""
    sampled = [
        Setting(f"{model} T={heat}", model, Settings(heat, decoder="sample", seed=seed), distribution(model, heat))
        for model in BIASES
        for heat in TEMPERATURES
    ]
    plain = distribution("Oracle", 1.0)
    cut = distribution("Oracle", 1.0, top_p=0.8)
    return (
        *sampled,
        Setting("Oracle greedy", "Oracle", Settings(decoder="greedy"), plain),
        Setting("Oracle beam", "Oracle", Settings(decoder="beam"), plain),
        Setting("Oracle top_p=0.8", "Oracle", Settings(1.0, top_p=0.8, decoder="sample", seed=seed), cut),
    )
