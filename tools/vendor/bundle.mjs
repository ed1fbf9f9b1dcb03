// Makes src/sfumato/server/static/vendor anew from the exact versions in package.json: the same bytes every time.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, "../../src/sfumato/server/static/vendor");
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const temporary = mkdtempSync(join(tmpdir(), "vendor-"));
const folder = (name) => join(temporary, "node_modules", name);
const text = (...parts) => readFileSync(join(...parts), "utf8").replaceAll("\r\n", "\n");

/** Unpacks each package into one flat node_modules: no resolver chooses a version and no script runs. */
function unpack() {
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const packed = ["pack", "--silent", "--ignore-scripts", "--pack-destination", temporary, `${name}@${version}`];
    const archive = execFileSync("npm", packed, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
    mkdirSync(folder(name), { recursive: true });
    execFileSync("tar", ["-xzf", join(temporary, archive), "-C", folder(name), "--strip-components=1"]);
  }
}

/** Bundles one entry as an ES module; answers the names of the packages whose code is in it. */
function bundle(entry, file) {
  const { metafile } = createRequire(join(temporary, "here"))("esbuild-wasm").buildSync({
    absWorkingDir: temporary,
    bundle: true,
    charset: "utf8",
    format: "esm",
    legalComments: "none",
    metafile: true,
    minify: true,
    outfile: join(vendor, file),
    platform: "browser",
    stdin: { contents: readFileSync(join(here, entry), "utf8"), resolveDir: temporary },
    target: "es2022",
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const names = Object.entries(inputs).map(([path, { bytesInOutput }]) =>
    bytesInOutput ? path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] : undefined);
  return [...new Set(names.filter(Boolean))].sort();
}

/** Plotly's own builds, and its style sheet for pages that allow no inline style. */
function plotly(...files) {
  for (const file of files) {
    writeFileSync(join(vendor, file), text(folder("plotly.js"), "dist", file).replace(/^\/\/# sourceMappingURL=.*\n?/gm, ""));
  }
  const inside = files.filter((file) => file.endsWith(".min.js")).flatMap((file) =>
    [...text(folder("plotly.js"), "dist", file.replace(".min", "")).matchAll(/^ *\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)]);
  const notices = text(here, "plotly-notices.txt");
  for (const name of new Set(inside.map(([, name]) => name))) {
    if (!notices.includes(`\n${name} `)) throw new Error(`plotly-notices.txt does not name ${name}, which Plotly bundles.`);
  }
  return ["plotly.js"];
}

/** The typeface of the pages: Latin letters, every weight in one file. */
function typeface(file) {
  copyFileSync(join(folder("@fontsource-variable/inter"), "files", "inter-latin-wght-normal.woff2"), join(vendor, file));
  return ["@fontsource-variable/inter"];
}

/** One line for each file, then each licence once, then what Plotly bundles in its turn. */
function licences(made) {
  const said = (name) => `${name} ${dependencies[name]}`;
  const licence = (name) => JSON.parse(text(folder(name), "package.json")).license;
  const texts = new Map();
  for (const name of new Set(made.flatMap(([, names]) => names))) {
    const file = readdirSync(folder(name)).find((file) => /^licen[cs]e/i.test(file));
    const full = text(folder(name), file).trim();
    texts.set(full, [...(texts.get(full) ?? []), `${said(name)} (${licence(name)})`]);
  }
  return [
    "What others made in this folder, and under which licence. Made by `make vendor`.\n\n" +
      made.map(([files, names]) => files.map((file) => `${file}: ${names.map(said).join(", ")}\n`).join("")).join(""),
    ...[...texts].map(([full, names]) => `${names.join("\n")}\n\n${full}\n`),
    text(here, "plotly-notices.txt"),
  ].join(`\n${"-".repeat(100)}\n\n`);
}

try {
  unpack();
  rmSync(vendor, { recursive: true, force: true });
  mkdirSync(vendor, { recursive: true });
  const drawn = ["plotly-basic.min.js", "plotly-gl3d.min.js", "plotly.css"];
  const made = [
    [["codemirror.js"], bundle("codemirror.js", "codemirror.js")],
    [["hyparquet.min.js"], bundle("hyparquet.js", "hyparquet.min.js")],
    [["inter.woff2"], typeface("inter.woff2")],
    [drawn, plotly(...drawn)],
  ];
  writeFileSync(join(vendor, "LICENSES.txt"), licences(made));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
