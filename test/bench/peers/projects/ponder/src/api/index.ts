// Ponder does not start without this file. Nobody asks it here.
import { Hono } from "hono";

export default new Hono();
