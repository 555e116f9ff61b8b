import { createHmac } from "node:crypto";
import type { Clock } from "#core/clock/Clock.ts";
import { renderStatus } from "./answerBridge.ts";
import type { BridgeFaults } from "./BridgeFault.ts";
import type { BridgeEntry } from "./BridgeWorld.ts";

const OLD_MS = 86_400_000;

/** A webhook as it was posted, and what was answered; 0: nobody answered. */
export type BridgeDelivery = { requestId: string; status: string; answered: number };

/** Signs a webhook's body as the bridge provider does, with the API key. */
export function signBridgeWebhook(key: string, body: string, timestampMs: number) {
	const mac = createHmac("sha256", key).update(`${timestampMs}.${body}`).digest("hex");
	return {
		"content-type": "application/json",
		"x-signature-timestamp": String(timestampMs),
		"x-signature-sha256": mac,
	};
}

/** Tells every status by webhook, where somebody listens: in order, once, unless a fault says. */
export function createBridgePostbox(options: { key: string; clock: Clock; faults: BridgeFaults }) {
	const { key, clock, faults } = options;
	const deliveries: BridgeDelivery[] = [];
	let to: string | null = null;
	let line = Promise.resolve();

	async function post(entry: BridgeEntry, body: string): Promise<void> {
		if (to === null) return;
		const fault = faults.ofWebhook()?.kind;
		if (fault === "webhook_never") return;
		const atMs = clock.nowMs() - (fault === "webhook_old" ? OLD_MS : 0);
		const headers = signBridgeWebhook(fault === "webhook_forged" ? "other" : key, body, atMs);
		for (let times = fault === "webhook_twice" ? 2 : 1; times > 0; times--) {
			const answer = await fetch(to, { method: "POST", headers, body }).catch(() => null);
			const { requestId, status } = entry;
			deliveries.push({ requestId, status, answered: answer?.status ?? 0 });
		}
	}

	return {
		deliveries,
		sendTo(url: string | null) {
			to = url;
		},
		tell(entry: BridgeEntry) {
			const told = { event: "request.status.updated", timestamp: clock.nowMs() };
			const body = JSON.stringify({ ...told, data: renderStatus(entry) });
			line = line.then(() => post(entry, body)).catch(() => {});
		},
		idle: () => line,
	};
}
