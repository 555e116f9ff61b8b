import { expect, test } from "bun:test";
import { findAddresses } from "#core/foreign/resolve.ts";

const never = new AbortController().signal;
const target = (host: string, isAllowed = false) => ({
	url: new URL("http://example.com/"),
	host,
	isAllowed,
});
const find = (answers: string[], isAllowed = false) =>
	findAddresses(target("example.com", isAllowed), async () => answers, never);

test("[SEC-05] a name is refused if one of its addresses is special", async () => {
	expect(await find(["8.8.8.8", "2606:4700::1111"])).toEqual(["8.8.8.8", "2606:4700::1111"]);
	for (const mixed of [
		["127.0.0.1"],
		["8.8.8.8", "10.0.0.1"],
		["::1", "8.8.8.8"],
		["fe80::1%lo"],
	]) {
		await expect(find(mixed)).rejects.toThrow("foreign_refused");
	}
	await expect(find(Array(33).fill("8.8.8.8"))).rejects.toThrow("foreign_refused");
});

test("a name without an address, or one that is not found, may be retried later", async () => {
	await expect(find([])).rejects.toThrow("foreign_unreachable");
	await expect(find(["0x7f.1"])).rejects.toThrow("foreign_unreachable");
	const lost = async () => Promise.reject(new Error("ENOTFOUND"));
	await expect(findAddresses(target("a.example"), lost, never)).rejects.toThrow("not found");
});

test("an IP address is not resolved, and an allowed origin's address may be private", async () => {
	const asked: string[] = [];
	const resolve = async (host: string) => {
		asked.push(host);
		return ["10.1.2.3"];
	};
	expect(await findAddresses(target("8.8.8.8"), resolve, never)).toEqual(["8.8.8.8"]);
	await expect(findAddresses(target("127.0.0.1"), resolve, never)).rejects.toThrow("refused");
	expect(asked).toEqual([]);
	expect(await findAddresses(target("ipfs", true), resolve, never)).toEqual(["10.1.2.3"]);
});
