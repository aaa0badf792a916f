"""Recognition by grammars, for every conversation of a host. Lines of JSON in, lines of JSON out: see docs/write-agents/speech.md.

Beyond the protocol for everybody's recogniser it takes grammars: {"id", "grammar", "network", "words": {token: [phones, ...]}},
named in a request to recognise by {"grammar"}. It keeps the ones used last; "unknown grammar" asks for one to be sent again.
{"id", "complete": [stem, ...]} asks for words of its dictionary that begin so.
"""

import base64
import bisect
import json
import sys
from collections import OrderedDict

from pocketsphinx import Decoder, get_model_path

MOST_GRAMMARS = 40
MOST_COMPLETIONS = 8


class Recogniser:
    def __init__(self):
        # Utterances of many people follow one another, so each is normalised by itself (cmn). The two further passes are
        # made for language models and lost 6 of 96 German sentences. Each word costs something (wip), or noise and long words
        # become many short ones.
        self.decoder = Decoder(lm=None, cmn="batch", fwdflat=False, bestpath=False, wip=0.01, loglevel="ERROR")
        self.grammars = OrderedDict()
        with open(get_model_path("en-us/cmudict-en-us.dict"), encoding="utf-8") as file:
            self.dictionary = sorted({line.split(" ", 1)[0] for line in file if "(" not in line.split(" ", 1)[0]})

    def answer(self, request):
        if "complete" in request:
            return {"words": {stem: self.complete(stem) for stem in request["complete"]}}
        if "network" in request:
            return self.add(request["grammar"], request["network"], request["words"])
        if request.get("grammar") not in self.grammars:
            return {"error": "unknown grammar"}
        return self.recognise(request["grammar"], base64.b64decode(request["audio"]))

    def add(self, name, network, words):
        """The dictionary is one for all grammars, so a word that is there already sounds as it did."""
        new = [(word, sounds) for word, sounds in words.items() if self.decoder.lookup_word(word) is None]
        for word, sounds in new:
            for number, phones in enumerate(sounds):
                self.decoder.add_word(word if number == 0 else f"{word}({number + 1})", phones, False)
        transitions = [tuple(transition) for transition in network["transitions"]]
        self.decoder.add_fsg(name, self.decoder.create_fsg(name, network["start"], network["end"], transitions))
        self.grammars[name] = True
        while len(self.grammars) > MOST_GRAMMARS:
            oldest, _ = self.grammars.popitem(last=False)
            self.decoder.remove_search(oldest)
        return {}

    def complete(self, stem):
        first = bisect.bisect_left(self.dictionary, stem)
        last = bisect.bisect_right(self.dictionary, stem + "\uffff")
        return sorted(self.dictionary[first:last], key=len)[:MOST_COMPLETIONS]

    def recognise(self, name, audio):
        self.grammars.move_to_end(name)
        self.decoder.activate_search(name)
        self.decoder.start_utt()
        self.decoder.process_raw(audio, full_utt=True)
        self.decoder.end_utt()
        found = self.decoder.hyp()
        if found is None:
            return {"text": "", "confidence": 0}
        return {"text": found.hypstr, "confidence": min(1, max(0, found.prob))}


def main():
    recogniser = Recogniser()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = recogniser.answer(request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


main()
