import type { IncomingMessage } from "node:http";
import { foreignFault } from "#core/foreign/faults.ts";
import { PIECE_BYTES_MIN, PIECES_FREE } from "#core/foreign/limits.ts";

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
