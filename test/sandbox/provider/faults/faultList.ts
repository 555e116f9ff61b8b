import { createPrng } from "../../createPrng.ts";
import { FAULT_KINDS, type Fault, type FaultKind } from "./Fault.ts";
import { RACE_KINDS } from "./raceBuyer.ts";

export type RandomFaults = {
	seed: number;
	/** The probability for each request, 0 to 1. */
	chance: number;
	kinds?: readonly FaultKind[];
};

export type FaultList = {
	add(fault: Fault): void;
	clear(): void;
	all(): Fault[];
	/** Returns the first fault for an HTTP request, and counts it as used. */
	takeForPath(path: string): Fault | null;
	/** Does the same for the stream. */
	takeForStream(kind: "drop_stream" | "duplicate" | "reorder"): Fault | null;
};

const FAULTS_MAX = 1_000;
const STREAM_KINDS: ReadonlySet<FaultKind> = new Set(["drop_stream", "duplicate", "reorder"]);

/** Makes the list of ordered faults, with random ones beside them. */
export function createFaultList(random: RandomFaults | null): FaultList {
	let faults: { fault: Fault; pattern: RegExp; left: number }[] = [];
	const prng = createPrng(random?.seed ?? 0);
	const ordered: ReadonlySet<FaultKind> = new Set([...STREAM_KINDS, ...RACE_KINDS]);
	const kinds = random?.kinds ?? FAULT_KINDS.filter((kind) => !ordered.has(kind));
	function take(fits: (entry: (typeof faults)[number]) => boolean): Fault | null {
		const entry = faults.find(fits);
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
	return {
		add(fault) {
			const pattern = new RegExp(fault.path ?? "");
			// A drop happens once at the time of the order; further ones affect clients that reconnect.
			const isDrop = fault.kind === "drop_stream";
			const left = isDrop ? (fault.times ?? 1) - 1 : (fault.times ?? Number.POSITIVE_INFINITY);
			if (left > 0 && faults.length < FAULTS_MAX) faults.push({ fault, pattern, left });
		},
		clear: () => {
			faults = [];
		},
		all: () =>
			faults.map(({ fault, left }) => ({
				...fault,
				...(Number.isFinite(left) && { times: left }),
			})),
		takeForPath(path) {
			const ordered = take(
				({ fault, pattern }) => !STREAM_KINDS.has(fault.kind) && pattern.test(path),
			);
			if (ordered) return ordered;
			return random && prng.chance(random.chance) ? { kind: prng.pick(kinds) } : null;
		},
		takeForStream: (kind) => take(({ fault }) => fault.kind === kind),
	};
}
