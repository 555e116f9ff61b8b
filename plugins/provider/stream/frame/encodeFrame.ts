import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";

/** Encodes a frame as an array, for serializer 2.0.0, the version that we ask the server for. */
export function encodeFrame(frame: PhoenixFrame): string {
	const { joinRef, ref, topic, event, payload } = frame;
	return JSON.stringify([joinRef, ref, topic, event, payload]);
}
