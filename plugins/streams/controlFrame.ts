/** Why a client has to read the state again instead of getting the missed frames. */
export type SnapshotReason =
	| "epoch_changed"
	| "seq_unknown"
	| "too_old"
	| "too_many_missed"
	| "frames_lost";

type ControlFrame = {
	type: "hello" | "ping" | "pong" | "snapshot_required" | "error";
	/** The topic's number that this client has reached, not a number of the frame's own. */
	seq: number;
	topic: string;
	atMs: number;
	data: Readonly<Record<string, unknown>>;
	/** Only in hello. */
	epoch?: string;
};

/**
 * Renders a frame that the server makes itself: in the shape of all frames, but not part of the
 * log.
 */
export function controlFrame({ type, seq, topic, atMs, data, epoch }: ControlFrame): string {
	const at = new Date(atMs).toISOString();
	return JSON.stringify({ type, seq, ...(epoch === undefined ? {} : { epoch }), topic, at, data });
}
