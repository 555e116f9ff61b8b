// Runs a crowd of WebSocket clients in a process of its own, over sockets that it reads as cheaply
// as possible: the server is measured. Prints a JSON line when all have had their hello; then takes
// orders as JSON lines, `{ frames }`, and prints when each client had so many more. Arguments:
// stream URL, clients.
import { createInterface } from "node:readline";

type Client = {
	pong: () => void;
	rest: Buffer;
	upgraded: boolean;
	frames: number;
	seq: number;
	checked: boolean;
};

const [url = "", clientsText] = process.argv.slice(2);
const { hostname, port, pathname, search } = new URL(url);
const clients = Number(clientsText);
/** Fewer than one address may hold open. */
const CLIENTS_PER_ADDRESS = 40;
/** One in so many has its numbers read: a gap or a double ends the run. */
const CHECKED_EVERY = 25;
const CONNECTING_AT_ONCE = 50;
const HEAD_END = Buffer.from("\r\n\r\n");
/** The letter after `{"type":"`: `m` for the frames that count. */
const TYPE_AT = 9;
const COUNTED_TYPE = "m".charCodeAt(0);

/** Empty and masked, as from every client. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

let greeted = 0;
let wanted = Number.POSITIVE_INFINITY;
let done = 0;
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Ends the whole crowd: a figure with a client less would make the server look better. */
function fail(problem: string): never {
	process.stderr.write(`${problem}\n`);
	process.exit(1);
}

function take(client: Client, bytes: Buffer): void {
	let data = client.rest.length === 0 ? bytes : Buffer.concat([client.rest, bytes]);
	let at = 0;
	if (!client.upgraded) {
		const end = data.indexOf(HEAD_END);
		if (end === -1) {
			client.rest = Buffer.from(data);
			return;
		}
		if (!data.toString("latin1", 0, end).startsWith("HTTP/1.1 101")) {
			fail(`no upgrade: ${data.toString("latin1", 0, 200)}`);
		}
		client.upgraded = true;
		data = data.subarray(end + HEAD_END.length);
	}
	for (;;) {
		if (data.length - at < 2) break;
		const short = (data[at + 1] ?? 0) & 127;
		const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
		if (data.length - at < headLength) break;
		const length =
			short < 126
				? short
				: short === 126
					? data.readUInt16BE(at + 2)
					: Number(data.readBigUInt64BE(at + 2));
		if (data.length - at < headLength + length) break;
		frame(client, data.subarray(at, at + headLength + length), headLength);
		at += headLength + length;
	}
	// Copied, because the socket's own buffer is used again.
	client.rest = at === data.length ? Buffer.alloc(0) : Buffer.from(data.subarray(at));
}

function frame(client: Client, bytes: Buffer, headLength: number): void {
	const opcode = (bytes[0] ?? 0) & 15;
	if (opcode === 8) fail(`closed with code ${bytes.readUInt16BE(headLength)}`);
	if (opcode === 9) client.pong();
	if (opcode !== 1) return;
	if (bytes[headLength + TYPE_AT] !== COUNTED_TYPE) {
		if (client.frames === -1) {
			client.frames = 0;
			greeted++;
		}
		return;
	}
	if (client.checked) {
		const { seq } = JSON.parse(bytes.toString("utf8", headLength));
		if (client.seq !== 0 && seq !== client.seq + 1) fail(`${client.seq}, then ${seq}`);
		client.seq = seq;
	}
	if (++client.frames === wanted && ++done === clients) say({ doneAtMs: Date.now() });
}

async function open(index: number): Promise<void> {
	const address = `10.8.0.${Math.floor(index / CLIENTS_PER_ADDRESS)}`;
	const client: Client = {
		pong: () => {},
		rest: Buffer.alloc(0),
		upgraded: false,
		frames: -1,
		seq: 0,
		checked: index % CHECKED_EVERY === 0,
	};
	await Bun.connect({
		hostname,
		port: Number(port),
		socket: {
			open(socket) {
				client.pong = () => void socket.write(PONG);
				socket.write(
					`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\n` +
						`Connection: Upgrade\r\nX-Forwarded-For: ${address}\r\n` +
						"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
				);
			},
			data: (_, bytes) => take(client, bytes),
			close() {
				fail("the server closed a client");
			},
		},
	});
}

for (let index = 0; index < clients; index += CONNECTING_AT_ONCE) {
	const batch = Math.min(CONNECTING_AT_ONCE, clients - index);
	await Promise.all(Array.from({ length: batch }, (_, offset) => open(index + offset)));
}
while (greeted < clients) await Bun.sleep(5);
say({ greeted });
let total = 0;
for await (const line of createInterface({ input: process.stdin })) {
	total += JSON.parse(line).frames;
	done = 0;
	wanted = total;
	say({ ready: true });
}
