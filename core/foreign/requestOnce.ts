// Does one HTTP exchange with a checked address, and limits what comes back.

import {
	type ClientRequest,
	Agent as HttpAgent,
	request as httpRequest,
	type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { retryAfterMs } from "#core/chain/rpc/readAnswers.ts";
import {
	foreignFault,
	HEADER_BYTES_MAX,
	INTERIM_ANSWERS_MAX,
	KEPT_FOR_MS,
	KEPT_SOCKETS_MAX,
	PIECE_BYTES_MIN,
	PIECES_FREE,
	WRAPPING_BYTES_MAX,
} from "#core/foreign/addresses.ts";

export type OneRequest = {
	url: URL;
	/** Checked; the name is not looked up again. */
	addresses: readonly string[];
	accept: string;
	/** Makes the request a POST with this body. */
	json?: string;
	/** Limits the answer's body, in bytes as received: compressed, where it is. */
	bytesMax: number;
	signal: AbortSignal;
	/** True: it may share a connection with earlier requests to the same origin. */
	isKept: boolean;
};

export type OneAnswer = {
	status: number;
	contentType: string | null;
	contentEncoding: string | null;
	retryAfterMs?: number | null;
	/** The target of a redirect; its body is not read. */
	location: string | null;
	body: Buffer;
};

type Inflate = (body: Uint8Array, limit: { maxOutputLength: number }) => Promise<Buffer>;

/**
 * Decompressors by name. One layer only: no honest server needs several, and they multiply. No
 * zstd: Bun 1.4.5 takes one that broke off for an empty text.
 */
const INFLATE: Record<string, Inflate> = {
	gzip: promisify(gunzip),
	"x-gzip": promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/** Connections that are kept lead where they were checked to lead when they were made. */
const kept = { keepAlive: true, maxFreeSockets: KEPT_SOCKETS_MAX, timeout: KEPT_FOR_MS };
const keptHttp = new HttpAgent(kept);
const keptHttps = new HttpsAgent(kept);

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Does one exchange with one of the given addresses, under the name in the URL (certificates are
 * checked against it). `fetch` cannot do this in Bun: it resolves names by itself, follows
 * redirects, reads `file:` and decompresses everything.
 */
export function requestOnce(request: OneRequest): Promise<OneAnswer> {
	const { url, bytesMax, signal, isKept } = request;
	return new Promise((resolve, reject) => {
		let isSettled = false;
		const ask = url.protocol === "https:" ? httpsRequest : httpRequest;
		const call = ask(url, optionsOf(request), (response) => {
			readAnswer(response, bytesMax).then((answer) => {
				settle(() => resolve(answer));
				if (!isKept || answer.location !== null) call.destroy();
			}, fail);
		});
		const unwatch = limitWire(call, bytesMax, (what) => {
			fail(what === "bytes" ? tooLarge(bytesMax) : unreachable("it only announces answers"));
		});
		const onAbort = () => fail(unreachable("no answer in time"));
		function settle(tell: () => void) {
			if (isSettled) return;
			isSettled = true;
			unwatch();
			signal.removeEventListener("abort", onAbort);
			tell();
		}
		// Not left to events of the socket: some answers (101) end without any.
		function fail(error: unknown) {
			settle(() => reject(error));
			call.destroy();
		}
		call.on("error", (cause) => {
			// The server had closed what we kept: that says nothing about this request.
			if (call.reusedSocket && !signal.aborted) {
				settle(() => resolve(requestOnce({ ...request, isKept: false })));
			} else fail(unreachable("the call failed", cause));
		});
		call.on("upgrade", (_response, socket) => {
			socket.destroy();
			fail(unreachable("it changed the protocol"));
		});
		call.end(request.json);
		if (signal.aborted) onAbort();
		else signal.addEventListener("abort", onAbort, { once: true });
	});
}

/**
 * Reads an answer's body to its end, or stops where it passes `bytesMax`, announced or not. Pieces
 * are counted too: a body of a megabyte in a million chunks stood the event loop still for 900 ms.
 */
export function collectBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
	const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
	const pieces: Buffer[] = [];
	let bytes = 0;
	let isOver = false;
	const end = (tell: () => void) => {
		if (isOver) return;
		isOver = true;
		pieces.length = 0;
		tell();
	};
	const tooLarge = () => {
		const detail = `an answer of more than ${bytesMax} bytes`;
		end(() => reject(foreignFault.tooLarge({ detail })));
		response.destroy();
	};
	const brokeOff = (cause?: unknown) => {
		end(() => reject(foreignFault.unreachable({ detail: "the answer broke off", cause })));
	};
	// Errors are heard to the end: one that comes after ours is nobody's concern.
	response.on("error", brokeOff);
	if (Number(response.headers["content-length"] ?? 0) > bytesMax) {
		tooLarge();
		return promise;
	}
	response.on("data", (piece: Buffer) => {
		if (isOver) return;
		bytes += piece.length;
		pieces.push(piece);
		const isDust = pieces.length > PIECES_FREE && bytes < pieces.length * PIECE_BYTES_MIN;
		if (bytes > bytesMax || isDust) tooLarge();
	});
	response.on("end", () => {
		const body = Buffer.concat(pieces);
		end(() => resolve(body));
	});
	response.on("close", () => brokeOff());
	return promise;
}

/** Undoes `content-encoding`, and stops where the result passes `bytesMax`. */
export async function inflateBody(
	body: Buffer,
	encoding: string | null,
	bytesMax: number,
): Promise<Buffer> {
	if (encoding === null || encoding === "identity" || body.length === 0) return body;
	const undo = Object.hasOwn(INFLATE, encoding) ? INFLATE[encoding] : undefined;
	if (!undo) throw foreignFault.unreachable({ detail: "an encoding that nobody asked for" });
	try {
		return await undo(body, { maxOutputLength: bytesMax });
	} catch (cause) {
		const isBomb = cause instanceof RangeError || codeOf(cause) === "ERR_BUFFER_TOO_LARGE";
		if (isBomb) throw foreignFault.tooLarge({ detail: `more than ${bytesMax} bytes inflated` });
		throw foreignFault.unreachable({ detail: "the answer cannot be inflated", cause });
	}
}

/**
 * Watches what comes over the wire, beside what is made of it: a body in chunks of one byte, blank
 * lines, or thousands of `100 Continue` cost the event loop seconds (measured: 1.4 of 1.5) before
 * any limit of a body or a header is reached. Answers how to stop watching.
 */
export function limitWire(
	call: ClientRequest,
	bytesMax: number,
	onExcess: (what: "bytes" | "answers") => void,
): () => void {
	// Honest chunks wrap a hundredth of what they hold; those of 48 bytes still fit.
	const wireBytesMax = HEADER_BYTES_MAX + WRAPPING_BYTES_MAX + bytesMax + bytesMax / 8;
	let wireBytes = 0;
	let answers = 0;
	let watched: Socket | null = null;
	const onData = (data: Uint8Array) => {
		wireBytes += data.length;
		if (wireBytes > wireBytesMax) onExcess("bytes");
	};
	const onInformation = () => {
		if (++answers > INTERIM_ANSWERS_MAX) onExcess("answers");
	};
	call.on("information", onInformation);
	call.once("socket", (socket) => {
		watched = socket;
		socket.on("data", onData);
	});
	return () => {
		call.off("information", onInformation);
		// The connection is kept for the next request, without this listener.
		watched?.off("data", onData);
	};
}

function optionsOf({ url, addresses, accept, isKept, json }: OneRequest) {
	const answers = addresses.map((address) => ({ address, family: isIP(address) }));
	type Found = (error: null, found: string | typeof answers, family?: number) => void;
	return {
		agent: isKept && (url.protocol === "https:" ? keptHttps : keptHttp),
		maxHeaderSize: HEADER_BYTES_MAX,
		method: json === undefined ? "GET" : "POST",
		headers: {
			...{ accept, "accept-encoding": "gzip, identity", "user-agent": "tapeline" },
			...(json !== undefined && { "content-type": "application/json" }),
		},
		lookup(_host: string, options: { all?: boolean | undefined }, found: Found) {
			const [first] = answers;
			if (options.all || !first) found(null, answers);
			else found(null, first.address, first.family);
		},
	};
}

async function readAnswer(response: IncomingMessage, bytesMax: number): Promise<OneAnswer> {
	const { statusCode: status = 0, headers } = response;
	const location = REDIRECTS.includes(status) ? (headers.location ?? null) : null;
	const head = {
		status,
		contentType: headers["content-type"]?.split(";")[0]?.trim().toLowerCase() || null,
		contentEncoding: headers["content-encoding"]?.trim().toLowerCase() || null,
		retryAfterMs: retryAfterMs(
			new Headers({ "retry-after": headers["retry-after"] ?? "", date: headers.date ?? "" }),
		),
		location,
	};
	if (location !== null) return { ...head, body: Buffer.alloc(0) };
	return { ...head, body: await collectBody(response, bytesMax) };
}

function tooLarge(bytesMax: number) {
	return foreignFault.tooLarge({ detail: `an answer of more than ${bytesMax} bytes` });
}

function unreachable(detail: string, cause?: unknown) {
	return foreignFault.unreachable({ detail, cause });
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : null;
}
