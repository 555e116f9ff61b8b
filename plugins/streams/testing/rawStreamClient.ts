// Opens a stream over a raw socket, which can stop reading, for tests.

import { connect, type Socket } from "node:net";

export type RawFrame = { type: string; seq: number; epoch?: string; data?: unknown };

export type RawStreamClient = {
	socket: Socket;
	/** The status line's number; 0 where the connection ended before. */
	status: Promise<number>;
	frames: RawFrame[];
	/** Resolves with the first matching frame, received or to come. */
	next(fits: (frame: RawFrame) => boolean): Promise<RawFrame>;
	/** Writes a frame as given, valid or not. */
	write(opcode: number, payload: Uint8Array): void;
	/** The code of the close frame; 1006 where the connection ended without one. */
	closed: Promise<number>;
};

export type RawStreamOptions = {
	headers?: Readonly<Record<string, string>>;
	/** True: answers pings of the protocol, as every client must. */
	pongs?: boolean;
};

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/**
 * Opens a WebSocket client made by hand: it can stop reading, leave pings unanswered and write
 * invalid frames, and it sees the close code after a backlog.
 */
export function rawStreamClient(url: string, options: RawStreamOptions = {}): RawStreamClient {
	const { hostname, port, pathname, search } = new URL(url);
	const { headers = {}, pongs = true } = options;
	const socket = connect(Number(port), hostname);
	const frames: RawFrame[] = [];
	const waiting = new Set<() => void>();
	const status = Promise.withResolvers<number>();
	const closed = Promise.withResolvers<number>();
	let rest = Buffer.alloc(0);
	let upgraded = false;
	let ended = false;
	const end = (code: number) => {
		ended = true;
		status.resolve(0);
		closed.resolve(code);
		for (const look of waiting) look();
	};
	const write = (opcode: number, payload: Uint8Array) => socket.write(maskedFrame(opcode, payload));

	function takeFrame(opcode: number, payload: Buffer): void {
		if (opcode === TEXT) frames.push(summary(payload.toString()));
		else if (opcode === PING && pongs) write(PONG, payload);
		else if (opcode === CLOSE) end(payload.length >= 2 ? payload.readUInt16BE(0) : 1005);
	}
	socket.on("data", (bytes) => {
		rest = Buffer.concat([rest, bytes]);
		if (!upgraded) {
			const headEnd = rest.indexOf("\r\n\r\n");
			if (headEnd === -1) return;
			status.resolve(Number(rest.toString("latin1", 9, 12)));
			rest = rest.subarray(headEnd + 4);
			upgraded = true;
		}
		for (let found = frameIn(rest); found; found = frameIn(rest)) {
			takeFrame(found.opcode, found.payload);
			rest = rest.subarray(found.length);
		}
		for (const look of waiting) look();
	});
	socket.on("error", () => {});
	socket.on("close", () => end(1006));
	const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.write(
		`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\n` +
			`Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
			`Sec-WebSocket-Version: 13\r\n${more.join("")}\r\n`,
	);
	return {
		socket,
		status: status.promise,
		frames,
		next: (fits) =>
			new Promise((resolve, reject) => {
				let seen = 0;
				const look = () => {
					for (; seen < frames.length; seen += 1) {
						const frame = frames[seen];
						if (!frame || !fits(frame)) continue;
						waiting.delete(look);
						resolve(frame);
						return;
					}
					if (ended) reject(new Error(`the stream ended after ${frames.length} frames`));
				};
				waiting.add(look);
				look();
			}),
		write,
		closed: closed.promise,
	};
}

/** Parses a frame without the data of the log's frames: tests push hundreds of megabytes. */
function summary(text: string): RawFrame {
	const { type, seq, epoch, data } = JSON.parse(text);
	return type === "market_event" ? { type, seq } : { type, seq, epoch, data };
}

function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
	if (bytes.length < 2) return undefined;
	const short = bytes.readUInt8(1) & 127;
	const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
	if (bytes.length < headLength) return undefined;
	let size = short;
	if (short === 126) size = bytes.readUInt16BE(2);
	else if (short === 127) size = Number(bytes.readBigUInt64BE(2));
	const length = headLength + size;
	if (bytes.length < length) return undefined;
	return { opcode: bytes.readUInt8(0) & 15, payload: bytes.subarray(headLength, length), length };
}

/** Masks a frame as clients must (RFC 6455, 5.3); a mask of zeros changes nothing. */
function maskedFrame(opcode: number, payload: Uint8Array): Buffer {
	const size = payload.length;
	const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
	head.writeUInt8(0x80 | opcode, 0);
	if (size < 126) head.writeUInt8(0x80 | size, 1);
	else if (size < 65_536) {
		head.writeUInt8(0x80 | 126, 1);
		head.writeUInt16BE(size, 2);
	} else {
		head.writeUInt8(0x80 | 127, 1);
		head.writeBigUInt64BE(BigInt(size), 2);
	}
	return Buffer.concat([head, Buffer.alloc(4), payload]);
}
