"""The COSMic network and the image features from a study bundle, for the metrics of a command."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cli.output import fail, warn
from data.load import Loaded
from data.study import DataError, Study

if TYPE_CHECKING:
    from metrics.base import Metric
    from metrics.learned.cosmic_metric import Cosmic


def in_force(metrics: tuple[Metric, ...], study: Study, loaded: Loaded | None) -> tuple[Metric, ...]:
    """Return the metrics, with the bundle's files for each COSMic whose parameters name no images.

    Such a COSMic uses the images of the bundle, and also its network unless the parameters name another. A warning
    names the network of the bundle if it is used. Exit with status 2 for bad files.
    """
    from metrics.learned.cosmic_metric import NO_IMAGES, OWN, Cosmic

    open_to = {one for one in metrics if isinstance(one, Cosmic) and one.images == NO_IMAGES}
    if loaded is None or not open_to or (loaded.network is None and loaded.images is None):
        return metrics
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        found = tuple(_with(one, study, loaded, folder) if one in open_to else one for one in metrics)
    except DataError as why:
        return fail(str(why))
    if loaded.network is not None and any(one.weights == OWN for one in open_to):
        warn(f"COSMic takes the network of the bundle, {loaded.network.name}; --cosmic takes another.")
    return found


def _with(metric: Cosmic, study: Study, loaded: Loaded, folder: Path) -> Cosmic:
    from metrics.analysis.bundle_cosmic import stored
    from metrics.learned.cosmic_metric import OWN, with_given

    network, images = stored((loaded.network, loaded.images), folder)
    return with_given(metric, study, network if metric.weights == OWN else metric.weights, images)
