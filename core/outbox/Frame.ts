/** One message to the subscribers of a topic, before it has a number. */
export type Frame = { type: string; data: unknown };

/** Frames of one topic that were committed together and follow each other without a gap. */
export type FrameBatch = {
	topic: string;
	seqFirst: number;
	atMs: number;
	frames: readonly Frame[];
};
