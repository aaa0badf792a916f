"""Recognition by grammars, for every conversation of a host. Lines of JSON in, lines of JSON out: see docs/speech.md.

Beyond the protocol for everybody's recogniser it takes grammars: {"id", "grammar", "jsgf", "words": {token: [phones, ...]}},
named in a request to recognise by {"grammar"}. It keeps the ones used last; "unknown grammar" asks for one to be sent again.
"""

import base64
import json
import sys
from collections import OrderedDict

from pocketsphinx import Decoder

MOST_GRAMMARS = 40


class Recogniser:
    def __init__(self):
        # Utterances of many people follow one another, so each is normalised by itself (cmn); the two further passes are
        # made for language models and lost 6 of 96 German sentences.
        self.decoder = Decoder(lm=None, cmn="batch", fwdflat=False, bestpath=False, loglevel="FATAL")
        self.grammars = OrderedDict()

    def answer(self, request):
        if "jsgf" in request:
            return self.add(request["grammar"], request["jsgf"], request["words"])
        if request.get("grammar") not in self.grammars:
            return {"error": "unknown grammar"}
        return self.recognise(request["grammar"], base64.b64decode(request["audio"]))

    def add(self, name, jsgf, words):
        """The dictionary is one for all grammars, so a word that is there already sounds as it did."""
        new = [(word, sounds) for word, sounds in words.items() if self.decoder.lookup_word(word) is None]
        for word, sounds in new:
            for number, phones in enumerate(sounds):
                self.decoder.add_word(word if number == 0 else f"{word}({number + 1})", phones, False)
        self.decoder.add_jsgf_string(name, jsgf)
        self.grammars[name] = True
        while len(self.grammars) > MOST_GRAMMARS:
            oldest, _ = self.grammars.popitem(last=False)
            self.decoder.remove_search(oldest)
        return {}

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
