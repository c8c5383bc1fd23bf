"""Trains the reader of machine-readable zones, and writes weights.onnx beside this file.

    python3 train.py [steps]

Needs Debian's python3-torch, python3-opencv, python3-pil and fonts-ocr-b. Takes half an hour on one core. README.md says what it learns from.
"""
import os
import random
import sys

import cv2
import numpy
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import nn
from torch.nn import functional

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2600
batch = 24
seed = 1303
torch.manual_seed(seed)
torch.set_num_threads(1)
cv2.setNumThreads(1)
chance = random.Random(seed)
noise = numpy.random.default_rng(seed)

# The class after the last character is the gap between characters.
alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"
height, width, stride = 32, 288, 4

# The bench renders with another cut of the typeface, OCRBS.otf.
folder = "/usr/share/fonts/opentype/ocr-b/"
size = 64
fonts = [ImageFont.truetype(folder + name, size) for name in ("OCRB.otf", "OCRB.otf", "OCRBL.otf")]
advance = fonts[0].getlength("A")
# Of capital letters, from the origin of the text.
top, bottom = [value * size / 54 for value in (10.5, 52.5)]


def some_text(length):
    """As in a zone: names, numbers, runs of the filler, and any characters at all."""
    text = ""
    while len(text) < length:
        kind = chance.random()
        count = chance.randint(1, 9)
        if kind < 0.3:
            text += "".join(chance.choices(alphabet[10:36], k=count))
        elif kind < 0.6:
            text += "".join(chance.choices(alphabet[:10], k=count))
        elif kind < 0.75:
            text += "<" * chance.choice((1, 2, 2, count))
        else:
            text += "".join(chance.choices(alphabet, k=count))
    return text[:length]


def ground(shape):
    """The printed background: slow changes of colour, and fine lines."""
    rows, columns = shape
    slow = cv2.resize(noise.normal(0, 1, (3, columns // 60 + 2)).astype("float32"), (columns, rows), interpolation=cv2.INTER_CUBIC)
    made = chance.uniform(150, 250) + chance.uniform(0, 10) * slow
    if chance.random() < 0.5:
        down, across = numpy.mgrid[0:rows, 0:columns]
        for _ in range(chance.randint(1, 3)):
            wave = down + chance.uniform(5, 50) * numpy.sin(across * chance.uniform(0.004, 0.05) + chance.uniform(0, 6))
            made[numpy.abs(wave % chance.randint(20, 80) - 3) < chance.uniform(0.8, 2.5)] -= chance.uniform(5, 40)
    return made


def sample():
    """A strip as the reader gets it, and the class of each of its columns; -100 for columns between the two."""
    font = chance.choice(fonts)
    count = 24
    lead = size * chance.uniform(1.55, 1.75)
    texts = [some_text(count) for _ in range(3)]
    # Where the main line begins or ends, the strip shows what is beside the zone.
    first = chance.randint(0, 6) if chance.random() < 0.25 else 0
    last = count - (chance.randint(0, 6) if chance.random() < 0.25 else 0)
    mask = Image.new("L", (int(count * advance), int(lead * 3)), 0)
    draw = ImageDraw.Draw(mask)
    for row, text in enumerate(texts):
        if row == 1 or chance.random() < 0.6:
            draw.text((first * advance, row * lead), text[first:last], font=font, fill=255)
    ink = numpy.asarray(mask).astype("float32") / 255
    weight = chance.random()
    if weight < 0.25:
        ink = cv2.dilate(ink, numpy.ones((3, 3)))
    elif weight < 0.4:
        ink = cv2.erode(ink, numpy.ones((2, 2)))
    paper = ground(ink.shape)
    picture = paper * (1 - ink) + ink * min(chance.uniform(10, 110), paper.min() - 40)

    # What the camera sees: at its own resolution, turned a little, blurred, noisy, compressed.
    pitch = chance.uniform(7, 24)
    scale = pitch / advance
    turned = numpy.deg2rad(chance.gauss(0, 2))
    shear = chance.uniform(-0.08, 0.08)
    seen = numpy.float32([[scale * numpy.cos(turned), scale * (numpy.sin(turned) + shear), 8], [-scale * numpy.sin(turned), scale * numpy.cos(turned), 8 + 24 * 12 * abs(numpy.sin(turned))]])
    camera = (int(count * pitch + 16), int(lead * 3 * scale + 24 + 48 * 12 * abs(numpy.sin(turned))))
    soft = cv2.GaussianBlur(picture.astype("float32"), (0, 0), max(0.3, 0.42 / scale))
    photo = cv2.warpAffine(soft, seen, camera, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    blur = chance.choice((0, 0, chance.uniform(0, 0.16))) * pitch
    if blur > 0.3:
        photo = cv2.GaussianBlur(photo, (0, 0), blur)
    if chance.random() < 0.25:
        angle, length = chance.uniform(0, numpy.pi), chance.uniform(0.05, 0.32) * pitch
        kernel = numpy.zeros((9, 9))
        ends = [(int(round(4 + way * length / 2 * numpy.cos(angle))), int(round(4 + way * length / 2 * numpy.sin(angle)))) for way in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1)
        photo = cv2.filter2D(photo, -1, kernel / kernel.sum())
    if chance.random() < 0.3:
        centre, spread = chance.uniform(0, camera[0]), chance.uniform(0.05, 0.4) * camera[0]
        photo = photo + chance.uniform(20, 120) * numpy.exp(-(((numpy.arange(camera[0]) - centre) / spread) ** 2))[None, :]
    photo = photo * (1 + chance.uniform(-0.3, 0.3) * numpy.linspace(-0.5, 0.5, camera[0]))[None, :]
    photo = numpy.clip(photo + noise.normal(0, chance.uniform(0, 14), photo.shape), 0, 255).astype("uint8")
    if chance.random() < 0.7:
        photo = cv2.imdecode(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, chance.randint(50, 95)])[1], 0)

    # The strip that is cut out of the photo: capital letters 18 pixels high, more or less.
    across = chance.uniform(0.8, 1.25)
    capital = chance.uniform(14, 23)
    begin = chance.uniform(0, max(0.0, count * advance - width / (18 * across) * advance))
    where = (lead + (top + bottom) / 2, chance.uniform(13, 19))
    lean = numpy.deg2rad(chance.gauss(0, 0.8))
    down = capital / (bottom - top)
    along = 18 * across / advance
    cut = numpy.float32([[along, 0, -begin * along], [along * numpy.sin(lean), down, where[1] - where[0] * down - 144 * numpy.sin(lean)], [0, 0, 1]])
    from_photo = cut @ numpy.linalg.inv(numpy.vstack([seen, [0, 0, 1]]))
    strip = cv2.warpPerspective(photo, from_photo, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype("float32")
    strip = (strip - strip.mean()) / (strip.std() + 4)

    step = advance * along
    # Slanted letters have their middle at the middle of the line, which the cut keeps in place.
    columns = numpy.arange(width // stride) * stride + stride / 2
    place = (columns + begin * along) / step
    index = numpy.floor(place).astype(int)
    off = numpy.abs(place - index - 0.5)
    classes = numpy.full(len(columns), len(alphabet))
    for column, (one, distance) in enumerate(zip(index, off)):
        if first <= one < last:
            classes[column] = alphabet.index(texts[1][one]) if distance < 0.28 else -100 if distance < 0.4 else len(alphabet)
    return strip, classes


def layer(inputs, outputs, pool):
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(), *([nn.MaxPool2d(pool)] if pool else [])]


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.seeing = nn.Sequential(*layer(1, 16, 2), *layer(16, 32, 2), *layer(32, 64, (2, 1)), *layer(64, 64, (2, 1)), *layer(64, 96, None))
        self.naming = nn.Sequential(nn.Conv2d(96, 96, (2, 3), padding=(0, 1)), nn.ReLU(), nn.Conv2d(96, len(alphabet) + 1, 1))

    def forward(self, strips):
        return self.naming(self.seeing(strips)).squeeze(2)


class Reading(nn.Module):
    """For the service: logarithms of probabilities."""

    def __init__(self, reader):
        super().__init__()
        self.reader = reader

    def forward(self, strips):
        return functional.log_softmax(self.reader(strips), dim=1)


def write(reader):
    reader.eval()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.onnx")
    torch.onnx.export(Reading(reader), torch.zeros(1, 1, height, 640), path, input_names=["strips"], output_names=["read"], dynamic_axes={"strips": {0: "n", 3: "width"}, "read": {0: "n", 2: "columns"}}, opset_version=13)
    reader.train()


if __name__ == "__main__":
    reader = Reader()
    optimizer = torch.optim.AdamW(reader.parameters(), lr=3e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    for number in range(1, steps + 1):
        strips, classes = zip(*[sample() for _ in range(batch)])
        given = torch.from_numpy(numpy.stack(strips)).float()[:, None]
        wanted = torch.from_numpy(numpy.stack(classes)).long()
        found = reader(given)
        loss = functional.cross_entropy(found, wanted, ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 2)
        optimizer.step()
        schedule.step()
        if number % 100 == 0:
            character = (wanted >= 0) & (wanted < len(alphabet))
            right = (found.argmax(1) == wanted)[character].float().mean()
            print(number, round(loss.item(), 4), round(right.item(), 4), flush=True)
        if number % 500 == 0 or number == steps:
            write(reader)
