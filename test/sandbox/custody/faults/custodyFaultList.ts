import { CustodyFault, type CustodyFaultOrder } from "./CustodyFault.ts";

export type CustodyFaultList = {
	add(order: CustodyFaultOrder): void;
	clear(): void;
	all(): CustodyFault[];
	/** The first one for a call (`METHOD /path?query`), counted as used. */
	take(call: string): CustodyFault | null;
	/** The same for a webhook (`WEBHOOK transaction.confirmed`). */
	takeWebhook(webhook: string): CustodyFault | null;
};

const FAULTS_MAX = 1_000;

/** What was ordered to go wrong. */
export function createCustodyFaultList(): CustodyFaultList {
	let faults: { fault: CustodyFault; pattern: RegExp; left: number }[] = [];
	return {
		add(order) {
			const fault = CustodyFault.parse(order);
			const left = fault.times ?? Number.POSITIVE_INFINITY;
			if (faults.length < FAULTS_MAX) {
				faults.push({ fault, pattern: new RegExp(fault.path ?? ""), left });
			}
		},
		clear() {
			faults = [];
		},
		all: () =>
			faults.map(({ fault, left }) => ({
				...fault,
				...(Number.isFinite(left) && { times: left }),
			})),
		take: (call) => take(call, false),
		takeWebhook: (webhook) => take(webhook, true),
	};

	function take(what: string, isWebhook: boolean): CustodyFault | null {
		const entry = faults.find(({ fault, pattern }) => {
			return fault.kind.startsWith("webhook_") === isWebhook && pattern.test(what);
		});
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
}
