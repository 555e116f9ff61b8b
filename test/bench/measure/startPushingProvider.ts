import { type FakePhoenix, fakePhoenix } from "#plugins/provider/stream/testing/fakePhoenix.ts";
import { enveloped } from "#plugins/provider/stream/testing/sampleEvents.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { PushFrame } from "#test/bench/measure/pushFrames.ts";

export type PushingProvider = {
	/** The service's environment. */
	env: Readonly<Record<string, string>>;
	/** Says whether the service listens to all of these. */
	isJoined(slugs: readonly string[]): boolean;
	/** Sends all of them, as fast as possible without blocking this process. */
	push(frames: readonly PushFrame[]): Promise<void>;
	stop(): Promise<void>;
};

/** Keeps the service's own calls away for as long as anything is measured. */
const AWAY_SECONDS = 290;
const FRAMES_A_TURN = 100;

/** Starts a provider that answers "too often" to every call; its stream pushes what it is told. */
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
