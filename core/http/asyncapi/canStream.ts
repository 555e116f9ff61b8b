import type { z } from "zod";

/**
 * The member of a route's `detail` that describes what is sent over its socket, or posted to it.
 */
export const CHANNEL_MEMBER = "x-channel";

/** A message of a channel: what it means, and its form. */
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
	/** What the service sends, by the message's name. */
	sends?: Readonly<Record<string, DescribedMessage>>;
	/** What it takes. */
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
