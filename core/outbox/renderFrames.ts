import type { FrameBatch } from "#core/outbox/Frame.ts";

/** A frame as it goes over a socket: the same text whether it was just committed or read back. */
export type RenderedFrame = { seq: number; text: string };

/** Puts each frame of a batch into the envelope `{ type, seq, topic, at, data }`. */
export function renderFrames(batch: FrameBatch): RenderedFrame[] {
	const at = new Date(batch.atMs).toISOString();
	return batch.frames.map((frame, index) => {
		const seq = batch.seqFirst + index;
		const { type, data } = frame;
		return { seq, text: JSON.stringify({ type, seq, topic: batch.topic, at, data }) };
	});
}
