/** Writes the chart that the Python package ships. With --check it only says whether the file is as it should be. */

import { readFileSync, writeFileSync } from "node:fs";
import { spec } from "./src/spec.js";

const file = new URL("../torchexplorer/render/chart.vg.json", import.meta.url);
const text = `${JSON.stringify(spec, null, 1)}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("torchexplorer/render/chart.vg.json is not what the sources give. Run: npm run build");
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}
