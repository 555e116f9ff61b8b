import { rpcFault } from "#core/chain/rpc/faults.ts";

/**
 * Returns an answer's text, of at most `bytesMax`: a node with too large an answer, or a hostile
 * one, must not fill the memory. An announced length is checked first; without one, or with
 * compression, bytes are counted while they are read.
 */
export async function readBody(response: Response, bytesMax: number): Promise<string> {
	const announced = announcedBytes(response);
	if (announced > bytesMax) {
		await response.body?.cancel();
		throw rpcFault.range({
			detail: `an answer of ${announced} bytes was refused`,
			meta: { timesTooLarge: announced / bytesMax },
		});
	}
	if (exactBytes(response) !== null || response.body === null) return response.text();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body) {
		bytes += chunk.byteLength;
		// Leaving the loop cancels the stream.
		if (bytes > bytesMax) {
			throw rpcFault.range({ detail: `an answer of more than ${bytesMax} bytes was refused` });
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

/** Returns the length of the body, if it is known before it is read. */
export function exactBytes(response: Response): number | null {
	const bytes = announcedBytes(response);
	return bytes >= 0 && !response.headers.has("content-encoding") ? bytes : null;
}

function announcedBytes({ headers }: Response): number {
	return Number(headers.get("content-length") ?? Number.NaN);
}
