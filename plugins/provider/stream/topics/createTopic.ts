import type { Clock } from "#core/clock/Clock.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { JOIN_TIMEOUT_MS, STEADY_MS } from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";
import { rejoinDelayMs } from "#plugins/provider/stream/topics/rejoinDelayMs.ts";

export type TopicOptions = {
	slug: string;
	/** The topic's name at the server. */
	name: string;
	clock: Clock;
	timers: Timers;
	random: () => number;
	newRef(): string;
	send(frame: PhoenixFrame): void;
	/** Called when it wants to be joined. */
	onDue(topic: Topic): void;
	/** Called when its events arrive from now on; those after `sinceMs` may be missing. */
	onJoined(sinceMs: number): void;
	/** Called when the server refuses it; it is tried again later. */
	onRefused(): void;
};

export type Topic = {
	readonly slug: string;
	isJoined(): boolean;
	join(): void;
	leave(): void;
	/** Handles the loss of the socket, and of events after `heardMs`. */
	down(heardMs: number): void;
	/** Handles a frame and returns its kind. `heardMs`: when the frame before it came. */
	receive(frame: PhoenixFrame, heardMs: number): "event" | "protocol" | "stray";
};

/** Makes one collection's topic: joined, and joined again whenever that breaks. */
export function createTopic(options: TopicOptions): Topic {
	const { slug, name, clock, timers, random, newRef, send } = options;
	let phase: "resting" | "joining" | "joined" = "resting";
	/** The present join; frames of an earlier one are ignored. */
	let joinRef: string | null = null;
	let attempt = 0;
	let joinedAtMs = 0;
	let missedSinceMs = clock.nowMs();
	let cancel = () => {};
	const topic: Topic = { slug, isJoined: () => phase === "joined", join, leave, down, receive };
	return topic;

	function join() {
		cancel();
		phase = "joining";
		joinRef = newRef();
		cancel = timers.after(JOIN_TIMEOUT_MS, () => {
			leave();
			retry();
		});
		send({ joinRef, ref: joinRef, topic: name, event: "phx_join", payload: {} });
	}

	function leave() {
		const left = { joinRef, ref: newRef(), topic: name, event: "phx_leave", payload: {} };
		if (phase !== "resting") send(left);
		rest();
	}

	function down(heardMs: number) {
		if (phase === "joined") missedSinceMs = heardMs;
		attempt = 0;
		rest();
	}

	function receive(frame: PhoenixFrame, heardMs: number) {
		if (phase === "resting") return "stray";
		if (frame.joinRef !== null && frame.joinRef !== joinRef) return "stray";
		switch (frame.event) {
			case "phx_reply":
				if (frame.ref === joinRef && phase === "joining") answered(frame);
				return "protocol";
			case "phx_error":
			case "phx_close":
				// Serializer 1.0.0 has no join_ref, and names the join in `ref`.
				if (frame.ref !== null && frame.ref !== joinRef) return "stray";
				broke(heardMs);
				return "protocol";
			default:
				return "event";
		}
	}

	function answered({ payload }: PhoenixFrame) {
		if (payload.status !== "ok") {
			options.onRefused();
			return retry();
		}
		cancel();
		phase = "joined";
		joinedAtMs = clock.nowMs();
		options.onJoined(missedSinceMs);
	}

	function broke(heardMs: number) {
		if (phase === "joined") missedSinceMs = heardMs;
		if (phase === "joined" && clock.nowMs() - joinedAtMs >= STEADY_MS) attempt = 0;
		retry();
	}

	/** Joins it again after a while; the socket stays. */
	function retry() {
		rest();
		cancel = timers.after(rejoinDelayMs(attempt, random), () => options.onDue(topic));
		attempt++;
	}

	function rest() {
		cancel();
		phase = "resting";
		joinRef = null;
	}
}
