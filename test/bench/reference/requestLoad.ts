// Requests URLs of one server in turn, over and over, in a process of its own: connections that
// stay open, one request at a time on each, nothing pipelined. Every connection is a crowd of
// clients behind a proxy, so that no client reaches its limit. Prints one JSON line. Arguments:
// URLs, separated by blanks; connections, seconds to warm up, seconds to count, the accepted
// coding, if any.
import { expectAnswer } from "#test/bench/reference/expectAnswer.ts";

const [target = "", connectionsText, warmText, countText, accepted] = process.argv.slice(2);
const encoding = accepted ? `Accept-Encoding: ${accepted}\r\n` : "";
const connections = Number(connectionsText);
const targets = target.split(" ").map((url) => new URL(url));
const [{ hostname, port } = new URL(target)] = targets;
/** Each may send 600 requests a minute; this many allow 40,000 requests a second for a minute. */
const CLIENTS = 4_096;

const requests = Array.from({ length: CLIENTS }, (_, client) => {
	const { pathname, search } = targets[client % targets.length] ?? new URL(target);
	return Buffer.from(
		`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: */*\r\n${encoding}` +
			`X-Forwarded-For: 10.9.${client >> 8}.${client & 255}\r\n\r\n`,
	);
});
let next = 0;
const counted = { answers: 0, bytes: 0, refused: 0 };
let counting = false;

const sockets = await Promise.all(
	Array.from({ length: connections }, () =>
		Bun.connect<{ answer: ReturnType<typeof expectAnswer> }>({
			hostname,
			port: Number(port),
			socket: {
				open(socket) {
					socket.data = { answer: expectAnswer() };
				},
				data(socket, bytes) {
					const status = socket.data.answer.take(bytes);
					if (status === null) return;
					if (counting) {
						counted.answers++;
						counted.bytes += socket.data.answer.bodyBytes();
						if (status !== 200) counted.refused++;
					}
					ask(socket);
				},
				error(_, error) {
					throw error;
				},
				close() {
					if (counting) throw new Error("the server closed a connection");
				},
			},
		}),
	),
);

function ask(socket: { write(bytes: Uint8Array): number }): void {
	const request = requests[next++ % CLIENTS];
	if (request) socket.write(request);
}

for (const socket of sockets) ask(socket);
await Bun.sleep(Number(warmText) * 1_000);
counting = true;
const beganMs = performance.now();
await Bun.sleep(Number(countText) * 1_000);
counting = false;
const seconds = (performance.now() - beganMs) / 1_000;
process.stdout.write(`${JSON.stringify({ ...counted, seconds })}\n`);
process.exit(0);
