import type { Frame } from "#core/outbox/Frame.ts";

/** The frames that each topic's subscribers receive, in order. */
export type TopicFrames = Map<string, Frame[]>;

/** Adds frames after those that their topics have already. */
export function addFrames(topics: TopicFrames, more: TopicFrames): void {
	for (const [topic, frames] of more) topics.set(topic, [...(topics.get(topic) ?? []), ...frames]);
}
