import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { retryAfterMs } from "#core/chain/rpc/retryAfterMs.ts";
import { collectBody } from "#core/foreign/collectBody.ts";
import { foreignFault } from "#core/foreign/faults.ts";
import { HEADER_BYTES_MAX, KEPT_FOR_MS, KEPT_SOCKETS_MAX } from "#core/foreign/limits.ts";
import { limitWire } from "#core/foreign/limitWire.ts";

export type OneRequest = {
	url: URL;
	/** Checked; the name is not looked up again. */
	addresses: readonly string[];
	accept: string;
	/** Makes it a POST. */
	json?: string;
	/** Of the body as it comes over the wire. */
	bytesMax: number;
	signal: AbortSignal;
	/** May share a connection with earlier requests to the same origin. */
	isKept: boolean;
};

export type OneAnswer = {
	status: number;
	contentType: string | null;
	contentEncoding: string | null;
	retryAfterMs?: number | null;
	/** Where a redirect leads; its body is not read. */
	location: string | null;
	body: Buffer;
};

/** Connections that are kept lead where they were checked to lead when they were made. */
const kept = { keepAlive: true, maxFreeSockets: KEPT_SOCKETS_MAX, timeout: KEPT_FOR_MS };
const keptHttp = new HttpAgent(kept);
const keptHttps = new HttpsAgent(kept);

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * One exchange with one of the given addresses, under the name that the URL has (certificates are
 * checked against it). `fetch` cannot do this in Bun: it looks names up by itself, follows
 * redirects, reads `file:` and inflates whole what is compressed.
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
