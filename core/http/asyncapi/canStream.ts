import type { z } from "zod";

/**
 * The member of a route's `detail` that describes the messages over its socket, or posted to it.
 */
export const CHANNEL_MEMBER = "x-channel";

/** A message of a channel: its meaning, and its form. */
export type DescribedMessage = { summary: string; schema: z.ZodType };

/** A route's description of its messages; the AsyncAPI document shows it as a channel. */
export type DescribedChannel = {
	/** Names the channel and, after a verb, its operations. */
	name: string;
	title: string;
	description: string;
	/** The path's parameters, and the query's. */
	params?: z.ZodObject;
	query?: z.ZodObject;
	headers?: z.ZodObject;
	/** Messages that the service sends, by name. */
	sends?: Readonly<Record<string, DescribedMessage>>;
	/** Messages that it receives, by name. */
	receives?: Readonly<Record<string, DescribedMessage>>;
};

/**
 * Describes a route's messages for the AsyncAPI document.
 *
 * @example .ws("/discover/stream", { detail: { ...canStream({ name: "discover", … }) } })
 */
export function canStream(channel: DescribedChannel): { [CHANNEL_MEMBER]: DescribedChannel } {
	return { [CHANNEL_MEMBER]: channel };
}
