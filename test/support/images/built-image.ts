/**
 * The image of the Dockerfile, built on a real Docker engine. What it would download is brought by this machine: its base images are made
 * of installed Debian packages and this Node, and the stage that compiles the checkout is replaced by the build that is tested. Every
 * other line runs as it stands.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'
import { debianImage } from './debian-image.ts'
import { packageImage } from './package-image.ts'

const COMPILING = /^FROM node AS build\n[\s\S]*?(?=^FROM )/m

/** @param docker its words before a command @param packages of `packagesWith` @returns images, and what `docker build` of this checkout needs beside its own words */
export async function buildWithout(
  docker: string[],
  name: string,
  packages: string[]
): Promise<{ images: string[]; flags: string[] }> {
  const [base, own] = [`${name}-base:test`, `${name}-package:test`]
  await debianImage(docker, base, packages)
  packageImage(docker, own)
  const text = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8')
  if (!COMPILING.test(text)) throw new Error('the Dockerfile has no stage that compiles')
  const file = join(temporaryFolder(), 'Dockerfile')
  writeFileSync(file, text.replace(COMPILING, `FROM ${own} AS build\n\n`))
  const [node, below] = [`NODE_IMAGE=${base}`, `BASE_IMAGE=${base}`]
  const flags = ['--network', 'none', '--build-arg', node, '--build-arg', below, '--file', file]
  return { images: [base, own], flags }
}
