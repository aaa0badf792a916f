"""Piper's voices, for every conversation of a host. Lines of JSON in, lines of JSON out.

{"id", "folder": "<a voice's files>", "phonemes": "<what espeak-ng makes of a clause>", "speed": 1} is answered by
{"id", "sampleRate", "audio": "<base64, 16-bit mono>"}. Called with a number of threads. How words sound is told by espeak-ng, which is
under the GPL and a program that others call; nothing here is linked to it.
"""

import base64
import json
import sys
from collections import OrderedDict
from pathlib import Path

import numpy
import onnxruntime

MOST_VOICES = 4
BEGIN, END, BETWEEN = "^", "$", "_"
PEAK = 0.9


class Voice:
    def __init__(self, folder, threads):
        [model] = Path(folder).glob("*.onnx")
        config = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # A thread that waits for work by running in circles takes the core from conversations.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.ids = config["phoneme_id_map"]
        self.rate = config["audio"]["sample_rate"]
        self.inference = config["inference"]
        self.takes_speaker = any(one.name == "sid" for one in self.session.get_inputs())

    def say(self, phonemes, speed):
        ids = [self.ids[BEGIN][0], self.ids[BETWEEN][0]]
        for phoneme in phonemes:
            # What this voice was never taught is left out.
            for number in self.ids.get(phoneme, []):
                ids += [number, self.ids[BETWEEN][0]]
        ids.append(self.ids[END][0])
        scales = [self.inference["noise_scale"], self.inference["length_scale"] / speed, self.inference["noise_w"]]
        inputs = {
            "input": numpy.array([ids], dtype=numpy.int64),
            "input_lengths": numpy.array([len(ids)], dtype=numpy.int64),
            "scales": numpy.array(scales, dtype=numpy.float32),
        }
        if self.takes_speaker:
            inputs["sid"] = numpy.array([0], dtype=numpy.int64)
        sound = self.session.run(None, inputs)[0].squeeze()
        loudest = max(float(numpy.abs(sound).max()), PEAK)
        return (sound * (32767 * PEAK / loudest)).astype("<i2").tobytes()


def main():
    threads = int(sys.argv[1])
    voices = OrderedDict()

    def voice_in(folder):
        if folder not in voices:
            voices[folder] = Voice(folder, threads)
        voices.move_to_end(folder)
        while len(voices) > MOST_VOICES:
            voices.popitem(last=False)
        return voices[folder]

    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            voice = voice_in(request["folder"])
            audio = voice.say(request["phonemes"], request["speed"])
            answer = {"sampleRate": voice.rate, "audio": base64.b64encode(audio).decode()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


main()
