"""A conversation with an agent in a terminal, from Python: pip install livekit, then python chat.py <base URL> <the agent's key>."""

import asyncio
import json
import os
import sys
import urllib.request

from livekit import rtc


async def main(base_url, key):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"interactionMode": "TEXT"}).encode()
    request = urllib.request.Request(f"{base_url}/api/sessions", body, headers)
    session = json.load(await asyncio.to_thread(urllib.request.urlopen, request))
    room = rtc.Room()
    replies = set()

    async def show(reader):  # A reply comes as it is made, and is complete when its stream closes.
        print(f"agent> {await reader.read_all()}", flush=True)

    def on_reply(reader, _identity):
        task = asyncio.ensure_future(show(reader))
        replies.add(task)
        task.add_done_callback(replies.discard)

    room.register_text_stream_handler("lk.transcription", on_reply)  # Before connecting: the greeting comes at once.
    await room.connect(session["wsUrl"], session["token"])
    while line := await asyncio.to_thread(sys.stdin.readline):
        await room.local_participant.send_text(line.strip(), topic="lk.chat")
    end = urllib.request.Request(f"{base_url}/api/sessions/{session['sessionId']}/end", b"{}", headers)
    await asyncio.to_thread(urllib.request.urlopen, end)
    await room.disconnect()


asyncio.run(main(*sys.argv[1:3]))
os._exit(0)  # livekit 1.2.0: a thread of its native part may call back while the interpreter ends, and abort it.
