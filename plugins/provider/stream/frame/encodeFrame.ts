import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";

/** A frame as serializer 2.0.0 has it: an array, and the version we ask the server for. */
export function encodeFrame(frame: PhoenixFrame): string {
	const { joinRef, ref, topic, event, payload } = frame;
	return JSON.stringify([joinRef, ref, topic, event, payload]);
}
