import { expect, test } from "bun:test";
import { readEnrolledUser } from "#plugins/wallets/enrolment/createEnrolment.ts";
import { createLocalCustody } from "#plugins/wallets/testing/localCustody.ts";

const A = `0x${"a".repeat(40)}` as const;
const B = `0x${"b".repeat(40)}` as const;

test("[TRD-09] accounts come from the provider's user, and capabilities from its wallets", async () => {
	const local = createLocalCustody();
	local.user("u", [local.social("s-1", "ann"), local.embedded("w-a", A, true), local.external(B)]);
	expect(await readEnrolledUser(local.custody, "u")).toEqual({
		id: "u",
		social: { userId: "s-1", username: "ann" },
		wallets: [
			{ address: A, providerWalletId: "w-a", capability: "embedded/delegated" },
			{ address: B, providerWalletId: null, capability: "external/manual" },
		],
	});
});

test("a wallet that is listed as embedded and as external counts as embedded", async () => {
	const local = createLocalCustody();
	for (const turn of [0, 1]) {
		const accounts = [local.external(A), local.embedded("w-a", A, false)];
		local.user("u", turn === 0 ? accounts : accounts.reverse());
		const { wallets } = await readEnrolledUser(local.custody, "u");
		expect(wallets).toEqual([
			{ address: A, providerWalletId: "w-a", capability: "embedded/manual" },
		]);
	}
});

test("a deleted user, or another than the requested one, gives null", async () => {
	const local = createLocalCustody();
	await expect(readEnrolledUser(local.custody, "u")).rejects.toMatchObject({ status: 401 });
	const lying = { ...local.custody, user: async () => ({ id: "other", accounts: [] }) };
	await expect(readEnrolledUser(lying, "u")).rejects.toMatchObject({ status: 401 });
});

test("a user with two social accounts is refused as ambiguous, and one with too many wallets too", async () => {
	const local = createLocalCustody();
	local.user("u", [local.social("1"), local.social("2")]);
	await expect(readEnrolledUser(local.custody, "u")).rejects.toMatchObject({
		code: "social_ambiguous",
	});
	const wallets = Array.from({ length: 51 }, (_, at) => {
		return local.external(`0x${String(at).padStart(40, "0")}`);
	});
	local.user("v", wallets);
	await expect(readEnrolledUser(local.custody, "v")).rejects.toMatchObject({
		code: "wallets_too_many",
	});
});

test("the number of wallets requested from the provider at once is bounded", async () => {
	const local = createLocalCustody();
	const accounts = Array.from({ length: 11 }, (_, at) => {
		return local.embedded(`w-${at}`, `0x${String(at).padStart(40, "0")}`, true);
	});
	let open = 0;
	let most = 0;
	const counting = {
		...local.custody,
		async wallet(id: string, signal: AbortSignal) {
			open++;
			most = Math.max(most, open);
			await Promise.resolve();
			open--;
			return local.custody.wallet(id, signal);
		},
	};
	local.user("u", accounts);
	const { wallets } = await readEnrolledUser(counting, "u");
	expect({ wallets: wallets.length, most }).toEqual({ wallets: 11, most: 4 });
});
