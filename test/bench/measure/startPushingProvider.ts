import { type FakePhoenix, fakePhoenix } from "#plugins/provider/stream/testing/fakePhoenix.ts";
import { enveloped } from "#plugins/provider/stream/testing/sampleEvents.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { PushFrame } from "#test/bench/measure/pushFrames.ts";

export type PushingProvider = {
	/** What the service is started with. */
	env: Readonly<Record<string, string>>;
	/** Whether the service listens to all of these. */
	isJoined(slugs: readonly string[]): boolean;
	/** Sends all of them, as fast as it goes without keeping this process from anything else. */
	push(frames: readonly PushFrame[]): Promise<void>;
	stop(): Promise<void>;
};

/** Keeps the service's own questions away for as long as anything is measured. */
const AWAY_SECONDS = 290;
const FRAMES_A_TURN = 100;

/** A provider that says "too often" to whatever is asked; its stream pushes what it is told. */
export function startPushingProvider(scope: Scope): PushingProvider {
	const phoenix: FakePhoenix = fakePhoenix();
	const rest = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: () =>
			new Response("{}", { status: 429, headers: { "retry-after": String(AWAY_SECONDS) } }),
	});
	const stop = scope.defer(async () => {
		await phoenix.stop();
		await rest.stop(true);
	});
	return {
		env: {
			PROVIDER_BASE_URL: `http://127.0.0.1:${rest.port}`,
			PROVIDER_STREAM_URL: phoenix.wsUrl,
			PROVIDER_STREAM_ENABLED: "true",
		},
		isJoined: (slugs) => slugs.every((slug) => phoenix.joinRef(`collection:${slug}`) !== null),
		async push(frames) {
			for (const [turn, { slug, type, inner }] of frames.entries()) {
				const payload = enveloped(type, inner);
				phoenix.send({ topic: `collection:${slug}`, event: type, payload });
				if (turn % FRAMES_A_TURN === 0) await Bun.sleep(0);
			}
		},
		stop,
	};
}
