"""Free dictation by Whisper, for every conversation of a host. Lines of JSON in, lines of JSON out: see docs/write-agents/speech.md.

Called with the folder of a model in CTranslate2's format and a number of threads. Beyond the protocol for everybody's recogniser a
request may say {"quick": true}: words so far of somebody who still speaks, found with less effort.
"""

import base64
import json
import re
import sys
import zlib

import ctranslate2
import numpy
from tokenizers import Tokenizer

RATE = 16_000
HOP = 160
WINDOW = 400
# Whisper was trained on windows of 30 s filled up with silence, and the encoder's work grows with the window: 0.15 to 0.4 s of a core
# for an utterance and 6 s of silence, more than a second for the whole window. With 3 s of silence it wrote two of eight
# sentences twice over, with 1 s four.
SILENCE_SECONDS = 6.0
QUICK_SILENCE_SECONDS = 3.0
LONGEST_SECONDS = 30.0
MOST_HINT_TOKENS = 100
MOST_TOKENS_A_SECOND = 6
# Below this (of 1) there was no voice near the microphone.
QUIETEST = 0.003
# What Whisper writes of sounds that are none: what its training texts said over silence.
OF_NOTHING = {"", "you", "thank you", "thanks for watching", "thank you for watching", "bye", "so", "okay", "oh",
              "untertitel der amara org community", "untertitel im auftrag des zdf 2020", "vielen dank", "amen", "musik", "music"}


class Mel:
    """The spectrogram that Whisper was trained on: 80 bands on Slaney's scale of 25 ms windows each 10 ms."""

    def __init__(self, bands):
        self.window = numpy.hanning(WINDOW + 1)[:-1].astype(numpy.float32)
        self.filters = filters(bands)

    def of(self, samples, frames):
        padded = numpy.pad(samples, (0, max(0, frames * HOP - len(samples))))[: frames * HOP]
        padded = numpy.pad(padded, WINDOW // 2, mode="reflect")
        pieces = numpy.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:frames]
        power = numpy.abs(numpy.fft.rfft(pieces * self.window, axis=1)) ** 2
        logs = numpy.log10(numpy.maximum(self.filters @ power.T, 1e-10))
        return ((numpy.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0).astype(numpy.float32)


def filters(bands):
    """Triangles of equal area, as librosa.filters.mel makes them (Slaney's Auditory Toolbox, 1998)."""
    edges = hertz(numpy.linspace(mels(0.0), mels(RATE / 2), bands + 2))
    bins = numpy.fft.rfftfreq(WINDOW, 1 / RATE)
    slopes = edges[:, None] - bins[None, :]
    widths = numpy.diff(edges)
    rising = -slopes[:-2] / widths[:-1, None]
    falling = slopes[2:] / widths[1:, None]
    triangles = numpy.maximum(0, numpy.minimum(rising, falling))
    return (triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None]).astype(numpy.float32)


LINEAR = 200.0 / 3
FROM_MEL = 1000.0 / LINEAR
STEP = numpy.log(6.4) / 27.0


def mels(frequency):
    return FROM_MEL + numpy.log(frequency / 1000.0) / STEP if frequency >= 1000.0 else frequency / LINEAR


def hertz(values):
    return numpy.where(values < FROM_MEL, values * LINEAR, 1000.0 * numpy.exp(STEP * (values - FROM_MEL)))


class Whisper:
    def __init__(self, folder, threads):
        self.model = ctranslate2.models.Whisper(folder, device="cpu", compute_type="int8", intra_threads=threads)
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.mel = Mel(self.model.n_mels)

    def answer(self, request):
        samples = numpy.frombuffer(base64.b64decode(request["audio"]), dtype="<i2").astype(numpy.float32) / 32768
        texts, confidences = [], []
        step = int(LONGEST_SECONDS * RATE)
        for start in range(0, max(1, len(samples)), step):
            text, confidence = self.recognise(samples[start : start + step], request)
            if text:
                texts.append(text)
                confidences.append(confidence)
        return {"text": " ".join(texts), "confidence": min(confidences, default=0)}

    def recognise(self, samples, request):
        if loudness(samples) < QUIETEST:
            return "", 0
        seconds = len(samples) / RATE
        quick = bool(request.get("quick"))
        window = min(LONGEST_SECONDS, seconds + (QUICK_SILENCE_SECONDS if quick else SILENCE_SECONDS))
        features = ctranslate2.StorageView.from_array(self.mel.of(samples, 2 * int(window * 50))[None])
        prompt = self.prompt(request)
        [result] = self.model.generate(
            features,
            [prompt],
            beam_size=1 if quick else 3,
            max_length=len(prompt) + int(MOST_TOKENS_A_SECOND * seconds) + 8,
            return_scores=True,
            return_no_speech_prob=True,
        )
        text = once(written(self.tokenizer.decode(result.sequences_ids[0])))
        score, none = result.scores[0], result.no_speech_prob
        return (text, float(numpy.exp(score))) if is_said(text, score, none) else ("", 0)

    def prompt(self, request):
        prompt = ["<|startoftranscript|>"]
        if self.model.is_multilingual:
            prompt += [f"<|{request.get('language', 'en').lower().split('-')[0]}|>", "<|transcribe|>"]
        prompt += ["<|notimestamps|>"]
        keywords = request.get("keywords") or []
        if not keywords:
            return prompt
        hints = self.tokenizer.encode(" " + ", ".join(keywords) + ".", add_special_tokens=False).tokens
        return ["<|startofprev|>", *hints[:MOST_HINT_TOKENS], *prompt]


def loudness(samples):
    """Of the loudest tenth of a second."""
    size = RATE // 10
    if len(samples) < size:
        return 0.0
    pieces = samples[: len(samples) // size * size].reshape(-1, size)
    return float(numpy.sqrt((pieces**2).mean(axis=1)).max())


def written(text):
    """Without what it writes of sounds, such as [Music] or *coughs*."""
    return re.sub(r"\s+", " ", re.sub(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♪♫]+", " ", text)).strip()


def once(text):
    """What it says again and again was said once."""
    words = text.split()
    plain = [re.sub(r"\W", "", word.lower()) for word in words]
    for size in range(1, len(words) // 2 + 1):
        *whole, last = range(len(plain))
        if all(plain[at] == plain[at % size] for at in whole) and plain[last % size].startswith(plain[last]):
            return " ".join(words[:size])
    return text


def is_said(text, score, none):
    plain = re.sub(r"[^\w ]", "", text.lower()).strip()
    if not re.search(r"\w", plain):
        return False
    # Words that it hardly believes itself. Of 24 coughs the best had a score of -1.27 and no speech at 0.26 at least; of 20 sentences
    # the worst had -0.25 and 0.05, of short answers by a robot's voice -1.04.
    if score < -1.2 or none > 0.2 and score < -0.9:
        return False
    if plain in OF_NOTHING and none > 0.25:
        return False
    # A text that says the same again and again compresses well.
    packed = len(zlib.compress(text.encode()))
    return len(text.encode()) / packed < 2.4


def main():
    folder, threads = sys.argv[1], int(sys.argv[2])
    whisper = Whisper(folder, threads)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = whisper.answer(request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


main()
