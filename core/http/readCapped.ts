/**
 * An answer's text, or null where it is longer than `bytesMax`: what is announced too long is not
 * begun, what is not announced, or comes compressed, is counted while it is read.
 */
export async function readCapped(response: Response, bytesMax: number): Promise<string | null> {
	const announced = Number(response.headers.get("content-length") ?? Number.NaN);
	if (announced > bytesMax) {
		await response.body?.cancel();
		return null;
	}
	if (response.body === null) return "";
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body) {
		bytes += chunk.byteLength;
		// Leaving the loop cancels the stream.
		if (bytes > bytesMax) return null;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
