import { z } from "zod";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { FRAME_BYTES_MAX, FRAME_DEPTH_MAX } from "#plugins/provider/stream/limits.ts";
import { parseWireJson } from "#plugins/provider/wire/parseWireJson.ts";

export type DecodedFrame =
	| { kind: "frame"; frame: PhoenixFrame; bytes: number }
	| { kind: "unreadable"; reason: "binary" | "too_large" | "not_a_frame" };

const ref = z
	.union([z.string().max(64), z.int().transform(String)])
	.nullish()
	.transform((value) => value ?? null);
const topic = z.string().min(1).max(512);
const event = z.string().min(1).max(128);
// Messages of the protocol itself (`phx_close`) mean the same whatever their payload is.
const payload = z.record(z.string(), z.unknown()).catch({});

/** Serializer 2.0.0. */
const arraySchema = z
	.tuple([ref, ref, topic, event, payload])
	.transform(([joinRef, ref, topic, event, payload]) => ({ joinRef, ref, topic, event, payload }));
/** Serializer 1.0.0, which an older host of the provider still uses. */
const objectSchema = z
	.object({ join_ref: ref, ref, topic, event, payload })
	.transform(({ join_ref: joinRef, ...frame }) => ({ joinRef, ...frame }));
const frameSchema = z.union([arraySchema, objectSchema]);

/** Reads a socket's message. Never throws, and never parses one that is too large. */
export function decodeFrame(data: unknown): DecodedFrame {
	if (typeof data !== "string") return { kind: "unreadable", reason: "binary" };
	// There are at least as many bytes as characters, so most frames need no byte count.
	const bytes = data.length > FRAME_BYTES_MAX ? data.length : Buffer.byteLength(data);
	if (bytes > FRAME_BYTES_MAX) return { kind: "unreadable", reason: "too_large" };
	const value = parseWireJson(data);
	// The parser has no depth limit; code that walks the value later would overflow the stack.
	if (isDeeper(value, FRAME_DEPTH_MAX)) return { kind: "unreadable", reason: "not_a_frame" };
	const parsed = frameSchema.safeParse(value);
	if (!parsed.success) return { kind: "unreadable", reason: "not_a_frame" };
	return { kind: "frame", frame: parsed.data, bytes };
}

function isDeeper(value: unknown, depthMax: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depthMax === 0) return true;
	return Object.values(value).some((inner) => isDeeper(inner, depthMax - 1));
}
