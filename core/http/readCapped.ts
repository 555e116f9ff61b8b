/**
 * Returns an answer's text, or null where it is longer than `bytesMax`: an announced length is
 * checked first; without one, or with compression, bytes are counted while they are read.
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
