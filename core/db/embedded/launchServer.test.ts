import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeSettings } from "#core/db/embedded/launchServer.ts";

const cluster = mkdtempSync(join(tmpdir(), "tapeline-settings-"));
afterAll(() => rmSync(cluster, { recursive: true }));

function written(settings: Record<string, string>): string[] {
	writeSettings({ cluster, socketDir: "/tmp/s", settings });
	return readFileSync(join(cluster, "postgresql.conf"), "utf8").split("\n");
}

test("a commit is durable unless the caller sets synchronous_commit", () => {
	expect(written({})).toContain("fsync = 'on'");
	expect(written({})).toContain("synchronous_commit = 'on'");
	expect(written({ synchronous_commit: "off" })).toContain("synchronous_commit = 'off'");
});

test("no setting changes the socket's folder or opens a TCP port", () => {
	const lines = written({ listen_addresses: "*", unix_socket_directories: "/", port: "1" });
	expect(lines).toContain("listen_addresses = ''");
	expect(lines).toContain("unix_socket_directories = '/tmp/s'");
	expect(lines).toContain("port = '5432'");
});

test("a value cannot contain a second setting", () => {
	expect(written({ work_mem: "a'b\\c" })).toContain("work_mem = 'a''b\\\\c'");
	expect(() => written({ work_mem: "1MB'\nfsync = 'off" })).toThrow("one line");
	expect(() => written({ "fsync = 'off' #": "x" })).toThrow("identifier");
});
