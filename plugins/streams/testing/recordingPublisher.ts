import { PUBLISH_BYTES_PER_TURN_MAX } from "#plugins/streams/limits.ts";
import type { Publisher } from "#plugins/streams/model.ts";

export type Published = { type: string; seq: number; topic: string; data: unknown };

/** Makes a publisher that keeps what would have gone to the sockets. Its turns pass at once. */
export function recordingPublisher(
	on: { turn?: () => void; publish?: () => void } = {},
): Publisher & {
	of(topic: string): Published[];
	seqsOf(topic: string): number[];
	turns(): number;
} {
	const published: Published[] = [];
	let turnBytes = 0;
	let turns = 0;
	const of = (topic: string) => published.filter((frame) => frame.topic === topic);
	return {
		publish(topic, text) {
			turnBytes += text.length;
			const frame = JSON.parse(text);
			if (frame.topic !== topic) throw new Error(`${topic} got a frame of ${frame.topic}`);
			published.push(frame);
			on.publish?.();
		},
		roomBytes: () => PUBLISH_BYTES_PER_TURN_MAX - turnBytes,
		async nextTurn() {
			turns += 1;
			turnBytes = 0;
			on.turn?.();
		},
		of,
		seqsOf: (topic) => of(topic).map(({ seq }) => seq),
		turns: () => turns,
	};
}
