import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findAgreement, runChunks } from "#core/chain/rpc/findAgreement.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";

describe("findAgreement", () => {
	type Voice = string | "silent" | "refuses";

	async function agree(voices: readonly Voice[], size: number) {
		const asked: number[] = [];
		const conflicts: (readonly number[])[] = [];
		const found = await findAgreement({
			members: [...voices.keys()],
			size,
			async ask(member) {
				asked.push(member);
				const voice = voices[member] ?? "";
				if (voice === "silent") throw rpcFault.transport();
				if (voice === "refuses") throw rpcFault.range();
				return voice;
			},
			digest: (answer) => answer,
			onConflict: (members) => conflicts.push(members),
		}).catch((error) => ({ code: error.code }));
		return { found, asked, conflicts };
	}

	test("[ING-14] an answer on which enough endpoints agree is taken, and no other endpoint is called", async () => {
		expect(await agree(["a", "a", "b"], 2)).toEqual({
			found: { answer: "a", agreed: [0, 1], dissenting: [] },
			asked: [0, 1],
			conflicts: [],
		});
	});

	test("[ING-14] an endpoint that differs or is silent is replaced, and reported if it differs", async () => {
		expect(await agree(["b", "a", "a"], 2)).toMatchObject({
			found: { answer: "a", agreed: [1, 2], dissenting: [0] },
			asked: [0, 1, 2],
		});
		expect((await agree(["silent", "a", "a"], 2)).found).toMatchObject({ agreed: [1, 2] });
	});

	test("[ING-14] endpoints that contradict each other give no answer, silent ones no contradiction", async () => {
		expect(await agree(["a", "b"], 2)).toMatchObject({
			found: { code: "rpc_disagreement" },
			conflicts: [[0, 1]],
		});
		expect(await agree(["a", "silent", "silent"], 2)).toMatchObject({
			found: { code: "rpc_transport" },
			conflicts: [],
		});
	});

	test("one node's refusal is the answer", async () => {
		expect((await agree(["refuses", "a", "a"], 2)).found).toEqual({ code: "rpc_range" });
	});

	test("an answer is always one on which enough endpoints agree", async () => {
		const voices = fc.array(fc.constantFrom("a", "b", "c", "silent"), { maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(voices, fc.integer({ min: 2, max: 4 }), async (all, size) => {
				const { found, asked } = await agree(all, size);
				expect(new Set(asked).size).toBe(asked.length);
				const most = Math.max(
					...["a", "b", "c"].map((voice) => all.filter((v) => v === voice).length),
				);
				expect("answer" in found).toBe(most >= size);
				if (!("answer" in found)) return;
				expect(all.filter((voice) => voice === found.answer).length).toBeGreaterThanOrEqual(size);
			}),
		);
	});
});

describe("runChunks", () => {
	test("answers keep the order of the calls, for any chunks and any order of arrival", async () => {
		const lists = fc.array(fc.integer(), { maxLength: 60 });
		const limits = fc.record({
			batchMax: fc.integer({ min: 1, max: 9 }),
			concurrencyMax: fc.integer({ min: 1, max: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(lists, limits, fc.scheduler(), async (items, limit, scheduler) => {
				const doubled = runChunks(items, limit, async (chunk) => {
					expect(chunk.length).toBeLessThanOrEqual(limit.batchMax);
					await scheduler.schedule(Promise.resolve());
					return chunk.map((item) => item * 2);
				});
				await scheduler.waitFor(doubled);
				expect(await doubled).toEqual(items.map((item) => item * 2));
			}),
		);
	});

	test("no further chunk begins after the first failure", async () => {
		const begun: number[] = [];
		const failing = runChunks([1, 2, 3, 4], { batchMax: 1, concurrencyMax: 1 }, async ([item]) => {
			begun.push(item ?? 0);
			if (item === 2) throw new Error("two");
			return [item];
		});
		expect(failing).rejects.toThrow("two");
		await failing.catch(() => {});
		expect(begun).toEqual([1, 2]);
	});
});
