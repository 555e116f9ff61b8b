import { httpFault } from "#core/http/httpFault.ts";
import { jsonTextFlaw } from "#core/http/jsonTextFlaw.ts";

const BODY_BYTES_MAX = 1_048_576;
/** Limits a webhook's body: its sender is unknown until all of it was read and hashed. */
const SIGNED_BYTES_MAX = 262_144;

export type Admission = {
	/** The URL that routes get. */
	url: string;
	/** Its signature is checked later (see `takesSigned`). */
	isSigned?: boolean;
};

/**
 * Reads a request's body within its limits and returns a request to `url` that holds it.
 *
 * Everything after this (Elysia's parser, a webhook that verifies raw bytes) can read the body
 * without regard to its size. Bun's own limit answers a bare 413 without a problem document, so it
 * is disabled and this one counts; by measurement, Bun discards unread bytes without keeping them.
 */
export async function admitBody(
	request: Request,
	{ url, isSigned = false }: Admission,
): Promise<Request> {
	const bytesMax = isSigned ? SIGNED_BYTES_MAX : BODY_BYTES_MAX;
	const declared = request.headers.get("content-length");
	if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
	if (request.body === null || declared === "0") return request;
	const bytes = await readBytes(request.body, bytesMax);
	const { method, signal } = request;
	// A request without a body may still have a stream: it was read, so it is left out.
	if (bytes.byteLength === 0) {
		return new Request(url, { method, signal, headers: request.headers });
	}
	// Only JSON is accepted: HTML forms can send the other types across origins without a preflight.
	if (mediaType(request) !== "application/json") throw httpFault.unsupportedMediaType();
	const flaw = textFlaw(bytes);
	if (flaw) throw httpFault.malformedBody({ public: flaw });
	const headers = new Headers(request.headers);
	// Elysia compares the letters of the type from the 12th on exactly: so one spelling is set.
	headers.set("content-type", "application/json");
	return new Request(url, { method, signal, headers, body: bytes });
}

function tooLarge(bytesMax: number) {
	if (bytesMax === BODY_BYTES_MAX) return httpFault.bodyTooLarge();
	return httpFault.bodyTooLarge({ public: `The body is larger than ${bytesMax / 1_024} KiB.` });
}

function mediaType(request: Request): string {
	const type = request.headers.get("content-type") ?? "";
	return (type.split(";")[0] ?? "").trim().toLowerCase();
}

async function readBytes(
	body: ReadableStream<Uint8Array>,
	bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.byteLength;
		if (length > bytesMax) throw tooLarge(bytesMax);
		chunks.push(chunk);
	}
	const bytes = new Uint8Array(length);
	let offset = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return bytes;
}

function textFlaw(bytes: Uint8Array): string | undefined {
	try {
		return jsonTextFlaw(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return "The body is not valid UTF-8.";
	}
}
