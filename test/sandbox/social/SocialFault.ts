import { z } from "zod";

/** An ordered fault; `path` is a pattern of the calls that it affects. */
export const SocialFault = z.strictObject({
	kind: z.enum([
		/** Rate limited: nothing is done. `retryAfter` in seconds. */
		"429",
		/** It is done, but the answer is a 429. */
		"lost_429",
		/** Nothing is done, and the answer has this `status`. */
		"status",
		/** It is done, but the answer is a 500. */
		"lost",
		/** It is done, but no answer comes. */
		"silence",
		/** Nothing is done, and no answer comes. */
		"dead",
		/** The answer comes after `delayMs`. */
		"slow",
		"html",
		/** For deliveries: not sent, sent twice, sent after the next one. */
		"drop_delivery",
		"duplicate_delivery",
		"late_delivery",
	]),
	path: z.string().default(""),
	status: z.int().min(300).max(599).default(503),
	retryAfter: z.int().min(1).max(86_400).default(60),
	delayMs: z.int().min(1).max(120_000).default(3_000),
	times: z.int().min(1).optional(),
});
export type SocialFault = z.output<typeof SocialFault>;
export type SocialFaultOrder = z.input<typeof SocialFault>;

/** Makes the list of ordered faults, used one by one. */
export function createSocialFaults() {
	let orders: { fault: SocialFault; left: number }[] = [];
	return {
		add(order: SocialFaultOrder): void {
			const fault = SocialFault.parse(order);
			orders.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		},
		clear(): void {
			orders = [];
		},
		all: () => orders.map(({ fault }) => fault),
		/** Returns the first fault for this call, or for a delivery. */
		take(what: "call" | "delivery", path: string): SocialFault | null {
			const wanted = orders.find(({ fault }) => {
				const isDelivery = fault.kind.endsWith("_delivery");
				return isDelivery === (what === "delivery") && new RegExp(fault.path).test(path);
			});
			if (!wanted) return null;
			wanted.left -= 1;
			if (wanted.left <= 0) orders = orders.filter((one) => one !== wanted);
			return wanted.fault;
		},
	};
}

export type SocialFaults = ReturnType<typeof createSocialFaults>;
