import { createHmac } from "node:crypto";
import type { SocialFaults } from "./SocialFault.ts";

const TRIES_MAX = 3;
const TIMEOUT_MS = 10_000;

/** Makes the sender of events to the app's webhook: signed, in the order in which they happened. */
export function createDeliverer(options: {
	secret: string;
	faults: SocialFaults;
	say(line: string): void;
}) {
	const { secret, faults, say } = options;
	let url: string | null = null;
	let late: string | null = null;
	let queue = Promise.resolve();
	const ending = new AbortController();

	async function send(body: string): Promise<void> {
		if (url === null) return;
		const signature = `sha256=${createHmac("sha256", secret).update(body).digest("base64")}`;
		for (let tried = 0; tried < TRIES_MAX && !ending.signal.aborted; tried++) {
			try {
				const response = await fetch(url, {
					method: "POST",
					headers: {
						"content-type": "application/json",
						"x-twitter-webhooks-signature": signature,
					},
					body,
					signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ending.signal]),
				});
				await response.body?.cancel();
				if (response.ok) return;
				say(`the webhook answered ${response.status}`);
			} catch {
				if (!ending.signal.aborted) say("the webhook did not answer");
			}
		}
	}

	async function deliver(body: string): Promise<void> {
		const fault = faults.take("delivery", url ?? "");
		if (fault?.kind === "drop_delivery") return;
		if (fault?.kind === "late_delivery") {
			late = body;
			return;
		}
		await send(body);
		if (fault?.kind === "duplicate_delivery") await send(body);
		if (late !== null) {
			const held = late;
			late = null;
			await send(held);
		}
	}

	return {
		to(wanted: string | null): void {
			url = wanted;
		},
		/** Resolves once it was delivered, or given up. */
		deliver(payload: unknown): Promise<void> {
			queue = queue.then(() => deliver(JSON.stringify(payload)));
			return queue;
		},
		stop: () => ending.abort(),
	};
}
