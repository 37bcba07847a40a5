"""The content of a caption about the image, as tuples: objects, their attributes, and relations between them.

`parser` runs spaCy, `rules` derives tuples from its dependency tree, `matching` decides which tuples mean the same.
"""

from metrics.text.scene.matching import matched, same_tuple
from metrics.text.scene.parser import SIGNATURE, missing, scene_tuples
from metrics.text.scene.rules import SceneTuple, tuples_of

__all__ = ["SIGNATURE", "SceneTuple", "matched", "missing", "same_tuple", "scene_tuples", "tuples_of"]
