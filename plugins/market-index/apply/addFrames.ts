import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";

/** Puts frames behind those that their topics have already. */
export function addFrames(topics: TopicFrames, more: TopicFrames): void {
	for (const [topic, frames] of more) topics.set(topic, [...(topics.get(topic) ?? []), ...frames]);
}
