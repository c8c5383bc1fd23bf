"""Receives webhooks of doorlock and reads the sessions that they are about. Python 3.9 or later, without packages."""
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

DOORLOCK_URL = os.environ.get("DOORLOCK_URL", "http://localhost:3000")
API_KEY = os.environ["DOORLOCK_API_KEY"]
SECRET = os.environ["WEBHOOK_SECRET"]
MOST_BYTES = 1 << 20


def is_signed(headers, body: bytes) -> bool:
    """Whether doorlock sent this in the last five minutes."""
    id, at, given = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{id}.{at}.".encode() + body, hashlib.sha256)
    wanted = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(one.encode(), wanted) for one in given.split())


def is_verified(session) -> bool:
    """Whether we accept the person: all steps were finished, nothing is suspicious, and a review approved it if there is one."""
    review = session["review"]
    decision = "approved" if review is None else review["decision"]
    return session["status"] == "completed" and not session["flags"] and decision == "approved"


def handle(event) -> None:
    # The event says that something happened. Only the API says what is true now.
    if event["type"] in ("kyc.session.completed", "kyc.session.reviewed"):
        request = Request(DOORLOCK_URL + event["data"]["url"], headers={"x-api-key": API_KEY})
        with urlopen(request, timeout=10) as response:
            session = json.load(response)["session"]
        result = "verified" if is_verified(session) else "not verified"
        print(session["external_reference"], "is", result, flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(min(length, MOST_BYTES))
        if not is_signed(self.headers, body):
            self.answer(400)
            return
        try:
            handle(json.loads(body))
            self.answer(204)
        except OSError:
            # doorlock could not be reached. It delivers the event again later.
            self.answer(503)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()


port = int(os.environ.get("PORT", "8080"))
server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print(f"Listening at http://127.0.0.1:{port}/", flush=True)
server.serve_forever()
