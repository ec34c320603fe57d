"""Chat Completions in Python, without any library: the client and its driver in one file.

python3 chat.py [http://127.0.0.1:4100]
"""

import json
import sys
import urllib.error
import urllib.request

SUITE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4100"


def post(url, body, key=""):
    headers = {"content-type": "application/json", "authorization": "Bearer " + key}
    return urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers))


def ask(case, messages, turn):
    """One request; what comes is written into the turn as it comes. Returns the calls."""
    body = {"model": case["model"], "messages": messages}
    if case["tools"]:
        body["tools"] = [{"type": "function", "function": tool} for tool in case["tools"]]
    if case["stream"]:
        body.update(stream=True, stream_options={"include_usage": True})
    response = post(case["baseUrl"] + "/v1/chat/completions", body, case["key"])
    chunks = stream(response) if case["stream"] else [json.load(response)]
    calls = {}
    for chunk in chunks:
        if chunk.get("error"):
            raise RuntimeError(chunk["error"]["message"])
        if chunk.get("usage"):
            usage = chunk["usage"]
            turn["usage"] = {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}
        for choice in chunk.get("choices", []):
            part = choice.get("delta") or choice.get("message") or {}
            turn["text"] += part.get("content") or ""
            turn["reasoning"] += part.get("reasoning_content") or ""
            turn["finish"] = choice.get("finish_reason") or turn["finish"]
            for at, piece in enumerate(part.get("tool_calls") or []):
                call = calls.setdefault(piece.get("index", at), {"id": None, "name": "", "arguments": ""})
                call["id"] = piece.get("id") or call["id"]
                call["name"] += piece["function"].get("name") or ""
                call["arguments"] += piece["function"].get("arguments") or ""
    turn["calls"] = list(calls.values())
    if not turn["finish"]:
        raise EOFError("the reply ended before its finish reason")
    return turn["calls"]


def stream(response):
    """The JSON of each event, as the standard of server-sent events reads them."""
    text, data = b"", []
    while True:
        piece = response.read1(4096)
        text += piece
        lines, text = whole_lines(text, last=not piece)
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                record, data = b"\n".join(data), []
                if record == b"[DONE]":
                    return
                yield json.loads(record)
        if not piece:
            return


def whole_lines(text, last):
    """Lines that end by CR, LF or CRLF, and the rest; a CR at the end may be half of a CRLF."""
    if text.endswith(b"\r") and not last:
        return [], text
    text = text.removeprefix(b"\xef\xbb\xbf")
    *lines, rest = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return lines, rest


def main():
    client = {"client": "chat.py", "version": "Python's standard library", "wire": "chat"}
    client["lacks"] = {"retry": "it never tries again"}
    run = json.load(post(SUITE + "/runs", client))
    for case in run["cases"]:
        messages, turns, error = list(case["messages"]), [], None
        try:
            for i in range(100):
                turn = {"text": "", "reasoning": "", "finish": None}
                turns.append(turn)
                calls = ask(case, messages, turn)
                if not calls or i >= len(case["toolResults"]):
                    break
                sent = [
                    {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
                    for c in calls
                ]
                messages.append({"role": "assistant", "content": turn["text"] or None, "tool_calls": sent})
                for call, content in zip(calls, case["toolResults"][i]):
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        except urllib.error.HTTPError as failed:
            error = {"message": failed.read().decode() or str(failed), "status": failed.code}
        except Exception as failed:
            error = {"message": str(failed), "kind": type(failed).__name__}
        post(run["observations"], {"case": case["id"], "turns": turns, "error": error}).close()
    print(run["report"])


main()
