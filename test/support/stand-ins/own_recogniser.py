"""A recogniser that somebody brings along, as docs/write-agents/speech.md describes the protocol: it tells how long what it heard was."""

import base64
import json
import sys

print(json.dumps({"ready": True, "languages": ["en", "de"]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    seconds = len(base64.b64decode(request["audio"])) / 2 / request["sampleRate"]
    if seconds > 5:
        answer = {"error": "too long"}
    else:
        words = " ".join(request["keywords"])
        answer = {"text": f"{request['language']} {seconds:.1f} {words}", "confidence": 0.9}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
