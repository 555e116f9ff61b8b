import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HEADER_BYTES_MAX, INTERIM_ANSWERS_MAX, WRAPPING_BYTES_MAX } from "#core/foreign/limits.ts";

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
		// A kept connection goes on without us.
		watched?.off("data", onData);
	};
}
