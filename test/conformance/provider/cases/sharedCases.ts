import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { detailOf } from "#test/conformance/provider/cases/reading.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import type { TestService } from "#test/harness/startTestService.ts";

const MINUTE_MS = 60_000;
const PER_MINUTE = 120;

function mostInAMinute(times: readonly number[]): number {
	const counts = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS));
	return Math.max(0, ...counts.map(({ length }) => length));
}

/** Two processes on one database, without Redis. */
export const sharedCases = (other: () => TestService): readonly Case[] => [
	{
		number: 160,
		point: "the minute is shared",
		name: "two processes on one database make no more calls a minute than one key has",
		async run(lab: ConformanceLab) {
			lab.advance(2 * MINUTE_MS);
			const from = lab.provider.calls.length;
			const services = [lab.service, other()];
			for (let n = 0; n < 100; n++) {
				const one = services[n % services.length];
				await one?.get(`/v1/nft-market/search?chain=base&q=unheard${n}`);
				if (n % 20 !== 0) continue;
				for (const service of services) await lab.runJob("lean-sync", service);
				for (const service of services) await lab.runJob("discovery", service);
			}
			const mine = lab.callsSince(from);
			expect(mine.length).toBeGreaterThan(20);
			expect(mostInAMinute(mine.map(({ atMs }) => atMs))).toBeLessThanOrEqual(PER_MINUTE);
			expect(mine.filter(({ status }) => status === 429)).toEqual([]);
		},
	},
	{
		number: 161,
		point: "the minute is shared",
		name: "searches of one process leave the worker of the other its calls",
		async run(lab) {
			lab.advance(2 * MINUTE_MS);
			for (let n = 0; n < 130; n++) {
				await other().get(`/v1/nft-market/search?chain=base&q=unknown${n}`);
			}
			const from = lab.provider.calls.length;
			await lab.runJob("discovery");
			expect(lab.callsSince(from).length).toBeGreaterThan(0);
			expect(lab.callsSince(from).filter(({ status }) => status !== 200)).toEqual([]);
		},
	},
	{
		number: 162,
		point: "the minute is shared",
		name: "both processes answer with the same figures",
		async run(lab) {
			const { address } = lab.of("copper-lanterns").places[0] ?? {};
			const { market } = await detailOf(lab, "copper-lanterns");
			const path = `/v1/nft-market/collections/${address}?chain=base`;
			const { body } = await other().get<any>(path);
			for (const name of ["floor", "owners", "sales24h", "volume_24h", "listedCount"]) {
				expect({ [name]: body.market[name] }).toEqual({ [name]: market[name] });
			}
		},
	},
];
