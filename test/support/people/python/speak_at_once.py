"""Joins a room and sends every text in the instant it has joined; prints each reply as a line of JSON.

Usage: speak_at_once.py <wsUrl> <token> <replies to wait for> <text>...
"""

import asyncio
import json
import os
import sys

from livekit import rtc


async def main(url: str, token: str, wanted: int, texts: list[str]) -> None:
    room = rtc.Room()
    heard = 0
    enough = asyncio.Event()

    async def listen(reader: rtc.TextStreamReader) -> None:
        nonlocal heard
        text = await reader.read_all()
        print(json.dumps({"reply": text}), flush=True)
        heard += 1
        if heard >= wanted:
            enough.set()

    tasks = set()

    def on_stream(reader: rtc.TextStreamReader, _identity: str) -> None:
        task = asyncio.ensure_future(listen(reader))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    room.register_text_stream_handler("lk.transcription", on_stream)
    await room.connect(url, token)
    for text in texts:
        await room.local_participant.send_text(text, topic="lk.chat")
    await asyncio.wait_for(enough.wait(), timeout=60)
    await room.disconnect()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
sys.stdout.flush()
# Without the interpreter's own end: a thread of the native client (livekit 1.2.0) that calls back into it meanwhile aborts the process.
os._exit(0)
