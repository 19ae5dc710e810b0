"""Labels of the ORL faces, as picture numbers from 0 in the order s1/1, s1/2, ..., s40/10.

`EYEGLASSES` is a published list (an exercise with the Olivetti faces, which are the same
pictures): 119 of 400; only 7 of the 40 people have pictures with and without.

`SMILING` is machine-made: 154 of 400 pictures for which a frozen expression network says "happy"
with a probability over one half. `tools/label_orl_smiling.py` makes it again. It is not ground
truth, and reports must say so.
"""

from collections.abc import Iterable


def _expanded(ranges: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return the numbers in inclusive ranges."""
    return frozenset(n for first, last in ranges for n in range(first, last + 1))


EYEGLASSES = _expanded((
    (10, 19),
    (30, 32),
    (37, 38),
    (50, 59),
    (63, 64),
    (69, 69),
    (120, 121),
    (124, 129),
    (130, 139),
    (160, 161),
    (164, 169),
    (180, 182),
    (185, 185),
    (189, 189),
    (190, 192),
    (194, 194),
    (196, 199),
    (260, 269),
    (270, 279),
    (300, 309),
    (330, 339),
    (358, 359),
    (360, 369),
))

SMILING = _expanded((
    (20, 28),
    (40, 49),
    (60, 63),
    (65, 66),
    (68, 70),
    (72, 72),
    (75, 75),
    (80, 82),
    (86, 86),
    (89, 96),
    (100, 103),
    (108, 108),
    (111, 112),
    (114, 114),
    (116, 116),
    (119, 119),
    (121, 123),
    (129, 129),
    (146, 146),
    (160, 164),
    (174, 174),
    (181, 181),
    (186, 188),
    (193, 196),
    (200, 202),
    (207, 207),
    (214, 214),
    (216, 216),
    (234, 234),
    (240, 249),
    (253, 253),
    (255, 255),
    (257, 261),
    (263, 264),
    (267, 268),
    (271, 271),
    (273, 274),
    (276, 276),
    (278, 278),
    (306, 306),
    (308, 308),
    (310, 312),
    (314, 314),
    (316, 316),
    (322, 329),
    (340, 350),
    (354, 354),
    (357, 357),
    (365, 365),
    (367, 367),
    (371, 371),
    (380, 389),
    (391, 399),
))
