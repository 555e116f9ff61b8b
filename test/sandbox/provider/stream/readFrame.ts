import { z } from "zod";

/** A frame of either version, with what an answer needs. */
export type Frame = {
	joinRef: string | null;
	ref: string | null;
	topic: string;
	event: string;
	payload: unknown;
};

const V2 = z.tuple([
	z.string().nullable(),
	z.string().nullable(),
	z.string().max(300),
	z.string().max(100),
	z.unknown(),
]);
const V1 = z.object({
	topic: z.string().max(300),
	event: z.string().max(100),
	payload: z.unknown(),
	ref: z.union([z.string(), z.number()]).nullish(),
	join_ref: z.union([z.string(), z.number()]).nullish(),
});

/** Parses a client's frame; null for an invalid one. */
export function readFrame(text: string): Frame | null {
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		return null;
	}
	const list = V2.safeParse(parsed);
	if (list.success) {
		const [joinRef, ref, topic, event, payload] = list.data;
		return { joinRef, ref, topic, event, payload };
	}
	const object = V1.safeParse(parsed);
	if (!object.success) return null;
	const { topic, event, payload, ref, join_ref } = object.data;
	const textOf = (value: string | number | null | undefined) =>
		value === null || value === undefined ? null : String(value);
	// Version 1 has no join ref: the ref of the join is used.
	return { joinRef: textOf(join_ref ?? ref), ref: textOf(ref), topic, event, payload };
}

/** Writes a frame in the client's version. */
export function writeFrame(vsn: "1.0.0" | "2.0.0", frame: Frame): string {
	const { joinRef, ref, topic, event, payload } = frame;
	if (vsn === "2.0.0") return JSON.stringify([joinRef, ref, topic, event, payload]);
	return JSON.stringify({ topic, event, payload, ref });
}
