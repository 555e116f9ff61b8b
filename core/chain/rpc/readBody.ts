import { rpcFault } from "#core/chain/rpc/faults.ts";

/**
 * An answer's text, of at most `bytesMax`: a node that was asked for too much, or that is not our
 * friend, must not fill the memory. What is announced is not even begun; what is not, or comes
 * compressed, is counted while it is read.
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

/** How long the body is, where that is known before it is read. */
export function exactBytes(response: Response): number | null {
	const bytes = announcedBytes(response);
	return bytes >= 0 && !response.headers.has("content-encoding") ? bytes : null;
}

function announcedBytes({ headers }: Response): number {
	return Number(headers.get("content-length") ?? Number.NaN);
}
